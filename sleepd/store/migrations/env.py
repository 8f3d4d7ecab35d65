"""Alembic's entry: runs on the connection that `sleepd.store.migrate` hands over."""

from alembic import context

from sleepd.store.schema_parts import complete as metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
