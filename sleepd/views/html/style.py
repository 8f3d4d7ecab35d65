"""How the page looks: one sheet for light and dark, wide and narrow, screen and paper."""

from __future__ import annotations

STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1c2430;--quiet:#5a6675;--line:#dde2e8;--card:#f5f7f9;
--new:#1b68ae;--old:#7b8694;--good:#1a7a48;--bad:#b02f24;--warn:#8a5a00}
@media (prefers-color-scheme:dark){:root{--paper:#12161c;--ink:#e3e8ee;--quiet:#9aa6b4;--line:#2c343e;--card:#1a2028;
--new:#69b0f0;--old:#8b97a6;--good:#55c48a;--bad:#f0837a;--warn:#e0b050}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:1.5rem 1rem 4rem;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.2rem;margin:2.2rem 0 .6rem}
h3{font-size:1.02rem;margin:1.2rem 0 .4rem}
p{margin:.4rem 0}.quiet,figcaption,dt{color:var(--quiet)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.8rem 0}dd{margin:0}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(24rem,100%),1fr));gap:1rem}
figure,article{margin:0;padding:.8rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
article{margin:1rem 0;padding:.2rem 1rem 1rem}figure h3{margin:0 0 .3rem}figcaption{font-size:.85rem}
.plots figure:first-child{grid-row:span 2}
article figure{border:0;padding:.4rem 0;max-width:32rem}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem;overflow-wrap:normal}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line)}
th{color:var(--quiet);font-weight:600}td.number,th.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td{min-width:3.5rem;overflow-wrap:break-word}td p{min-width:13rem}
pre{overflow-x:auto;padding:.7rem;background:var(--card);border:1px solid var(--line);border-radius:.4rem;
font:13px/1.45 ui-monospace,"DejaVu Sans Mono",monospace;overflow-wrap:normal}article pre{background:var(--paper)}
pre.soft{white-space:pre-wrap}
summary{cursor:pointer;color:var(--new)}details{margin:.5rem 0}
.badge{display:inline-block;padding:0 .5rem;border:1px solid currentColor;border-radius:1rem;
font-size:.85rem;font-weight:600}
.accepted{color:var(--good)}.rejected,.quarantined{color:var(--bad)}.undecided,.closed,.pruned,.nothing,.forced{color:var(--warn)}
.add{color:var(--good)}.del{color:var(--bad)}
svg.plot{display:block;width:100%;height:auto}
svg text{fill:var(--ink);font-size:12px;font-family:inherit}
svg .tick,svg .caption{fill:var(--quiet)}.grid{stroke:var(--line);stroke-width:1}
polyline.line{fill:none;stroke-width:2;stroke-linejoin:round}
circle.after,rect.in{fill:var(--new)}circle.before{fill:var(--card);stroke:var(--old);stroke-width:2}
.after.whisker,polyline.after{stroke:var(--new);stroke-width:2;fill:none}.before.whisker{stroke:var(--old);stroke-width:2;fill:none}
rect.out{fill:var(--warn)}polyline.evidence{stroke:var(--new)}polyline.counter{stroke:var(--bad);stroke-dasharray:5 3}
line.accept{stroke:var(--good);stroke-width:1.5}line.refuse{stroke:var(--bad);stroke-width:1.5;stroke-dasharray:2 3}
line.gain{stroke:var(--good);stroke-width:3}line.loss{stroke:var(--bad);stroke-width:3}
svg.dumbbell{width:120px;height:16px;display:block}.key{font-weight:700}
.key.new{color:var(--new)}.key.old{color:var(--old)}.key.against{color:var(--bad)}.key.out{color:var(--warn)}
@media (max-width:34rem){body{padding:1rem .7rem 3rem}dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}
svg text{font-size:15px}}
@media print{body{max-width:none}details>*{display:block}}
"""
