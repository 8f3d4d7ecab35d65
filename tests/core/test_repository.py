"""Folders that are one repository."""

from __future__ import annotations

from sleepd.core.repository import WorkedOn, repositories


def worked_on(paths: str = "", branches: str = "", sessions: int = 1) -> WorkedOn:
    return WorkedOn(paths=frozenset(paths.split()), branches=frozenset(branches.split()), sessions=sessions)


def test_a_clone_is_the_repository_of_its_files() -> None:
    """Two folders in which the same files of one program were edited are one repository: the busier folder's."""
    found = repositories(
        {
            "/w/shop": worked_on("cmd/shop/cart/cart.go cmd/shop/cart/price.go cmd/shop/main.go", sessions=9),
            "/w/shop-2": worked_on("cmd/shop/cart/cart.go cmd/shop/cart/price.go", sessions=2),
        }
    )
    assert {"/w/shop": "/w/shop", "/w/shop-2": "/w/shop"} == found


def test_a_worktree_is_the_repository_of_its_branch() -> None:
    """With a branch of a telling name in common, one file is enough."""
    other = "shop/cart/cart.go shop/cart/a.go shop/cart/b.go shop/cart/c.go shop/cart/d.go"
    found = repositories(
        {
            "/w/a": worked_on(other, "main feat/cart-total"),
            "/w/b": worked_on("shop/cart/cart.go", "feat/cart-total", sessions=3),
        }
    )
    assert {"/w/a": "/w/b", "/w/b": "/w/b"} == found


def test_a_branch_alone_joins_nothing() -> None:
    """Two projects may each have a `fix/login`: what is of one must not reach the other."""
    found = repositories(
        {
            "/w/a": worked_on("shop/login.go src/components/Button.tsx", "fix/login"),
            "/w/b": worked_on("game/login.rs src/components/Button.tsx " + "src/a.ts src/b.ts src/c.ts", "fix/login"),
        }
    )
    assert {"/w/a": "/w/a", "/w/b": "/w/b"} == found


def test_projects_of_one_framework_stay_apart() -> None:
    """Files and branches that every project has do not make two projects one."""
    usual = (
        "src/app/page.tsx src/app/layout.tsx src/components/Button.tsx package.json README.md .github/workflows/ci.yml"
    )
    found = repositories(
        {
            "/w/one": worked_on(f"{usual} src/components/Cart.tsx src/components/Card.tsx", "main develop release"),
            "/w/two": worked_on(f"{usual} src/components/Map.tsx", "main develop release"),
        }
    )
    assert {"/w/one": "/w/one", "/w/two": "/w/two"} == found


def test_a_library_copied_into_a_large_project_does_not_join_them() -> None:
    """Few shared files of many are no sign."""
    many = " ".join(f"engine/part{n}/code.c" for n in range(20))
    found = repositories(
        {
            "/w/one": worked_on(f"{many} third/zip/deflate.c third/zip/inflate.c"),
            "/w/two": worked_on(f"{many.replace('engine', 'game')} third/zip/deflate.c third/zip/inflate.c"),
        }
    )
    assert {"/w/one": "/w/one", "/w/two": "/w/two"} == found


def test_what_is_shared_goes_from_folder_to_folder() -> None:
    """A third folder that shares nothing with the first is of its repository through the second."""
    found = repositories(
        {
            "/w/a": worked_on("net/wire/frame.rs net/wire/codec.rs", sessions=5),
            "/w/b": worked_on("net/wire/frame.rs net/wire/codec.rs net/disk/log.rs", "fix/slow-start"),
            "/w/c": worked_on("net/disk/log.rs", "fix/slow-start"),
        }
    )
    assert {"/w/a": "/w/a", "/w/b": "/w/a", "/w/c": "/w/a"} == found
