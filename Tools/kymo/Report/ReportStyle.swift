// SPDX-License-Identifier: Apache-2.0

/// The style sheet of a report: light, dark and printed. Its colours have a contrast of at least 4.5 to 1 for texts.
enum ReportStyle {
    static let css = """
        *{box-sizing:border-box}
        :root{--bg:#fafafa;--fg:#1c1c1e;--dim:#5f5f66;--card:#fff;--line:#e4e4e8;color-scheme:light dark}
        body{margin:0;font:15px/1.5 system-ui,sans-serif;background:var(--bg);color:var(--fg)}
        main{max-width:840px;margin:0 auto;padding:32px 16px}
        h1{font-size:30px;margin:0}h2{font-size:19px;margin:0}
        h3{font-size:13px;margin:10px 0 0}p.s{color:var(--dim);margin:.1em 0 .9em}
        section,.k div{background:var(--card);border:1px solid var(--line);border-radius:14px}
        section{padding:20px 24px;margin:18px 0;overflow-x:auto}
        .k{display:grid;grid-template-columns:repeat(auto-fit,minmax(130px,1fr));gap:12px}
        .k div{padding:14px}.k b{font-size:24px;display:block}.k span{color:var(--dim);font-size:13px}
        svg{width:100%;height:auto;display:block;margin:6px 0}
        table{border-collapse:collapse;font-size:13px}td,th{text-align:right;padding:2px 14px 2px 0}
        td:first-child,th:first-child{text-align:left}details summary{color:var(--dim);font-size:13px}
        .ax{font-size:10px;fill:var(--dim)}.tx{font-size:13px;fill:var(--fg)}
        .end{text-anchor:end}.mid{text-anchor:middle}
        .g{stroke:var(--line);stroke-width:1}.g2{stroke:#adb5bd;stroke-width:.8}
        .h-{fill:none;stroke:var(--line)}.h0{fill:#eceef1}.h1{fill:#b2e0c4}.h2{fill:#69c590}
        .h3{fill:#2f9e5f}.h4{fill:#0b6b3a}
        .b1{fill:#d6336c;opacity:.10}.b2{fill:#d6336c;opacity:.18}.b3{fill:#d6336c;opacity:.30}
        .l{fill:none;stroke:#d6336c;stroke-width:1.6;stroke-linejoin:round}.p{fill:#d6336c}
        .q{fill:#1c7ed6;opacity:.55}
        .s0{fill:#f08c4a}.s1{fill:#74c0fc}.s2{fill:#4263eb}.s3{fill:#2b2f77}.s4{fill:#868e96}
        .e1{fill:none;stroke:#f7c9cf;stroke-width:.4}.e2{fill:none;stroke:#ee9aa5;stroke-width:.8}
        .e{fill:none;stroke:var(--fg);stroke-width:1.1}
        .u0{fill:#dee2e6}.u1{fill:#1c7ed6}
        .w0{fill:#1c7ed6}.w1{fill:#f08c4a}.w2{fill:#2f9e5f}.w3{fill:#9775fa}.w4{fill:#e03161}.w5{fill:#868e96}
        .m{display:grid;grid-template-columns:repeat(auto-fill,minmax(190px,1fr));gap:12px}
        .m svg{min-width:0}figure{margin:0}figcaption{color:var(--dim);font-size:13px;text-align:center}
        .r{fill:none;stroke:#1c7ed6;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}
        .rs{fill:#2f9e5f}.re{fill:var(--card);stroke:#e03161;stroke-width:2}
        .o{fill:none;stroke:var(--line);stroke-width:2.2}
        .o0{stroke:#e03161}.o1{stroke:#69b34c}.o2{stroke:#22a6b3}
        @media(prefers-color-scheme:dark){
        :root{--bg:#111113;--fg:#f2f2f5;--dim:#a8a8b0;--card:#1c1c1f;--line:#2e2e33}
        .h0{fill:#2c2c31}.h1{fill:#143d29}.h2{fill:#1d6b43}.h3{fill:#2f9e5f}.h4{fill:#69d79a}
        .u0{fill:#3a3a40}.s3{fill:#9775fa}.e1{stroke:#4a2a2f}.e2{stroke:#6e3a42}}
        @media(max-width:640px){main{padding:16px 10px}h1{font-size:24px}section{padding:14px}
        .k{grid-template-columns:1fr 1fr}svg{min-width:620px}}
        @media print{svg{min-width:0}body{background:#fff}main{max-width:none;padding:0}
        section{break-inside:avoid;border-color:#ccc}
        details{display:none}}
        """
}
