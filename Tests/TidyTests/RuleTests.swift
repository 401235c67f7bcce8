// SPDX-License-Identifier: Apache-2.0

import Testing

/// The rules on small inputs: each finds its violations and accepts similar valid input.
@Suite("Tidy: tests of the rules")
struct RuleTests {
    private func swift(_ text: String, path: String = "Sources/Kernels/A.swift") -> (file: TextFile, tokens: [Token]) {
        let file = TextFile(path, text)
        return (file, Scanner(file).tokens)
    }

    @Test("imports with any modifier are found, words in comments and strings are not")
    func imports() {
        let (_, tokens) = swift(
            """
            import Foundation
            public import Kymograph
            package import struct Bytes.ByteWriter
            @testable import Catalog; import GRDB
            @_spi(Inner) @preconcurrency internal import Glibc
            // import Comment
            /* import Block /* import Nested */ import Still */
            let text = "import InString \\(name) import AlsoInString"
            let raw = #"import Raw "quoted" \\(not) "#
            let long = \"""
                import Multi
                "\""
            func f(import label: Int) {}
            """)
        #expect(Imports.of(tokens).map(\.module) == ["Foundation", "Kymograph", "Bytes", "Catalog", "GRDB", "Glibc"])
        #expect(Imports.of(tokens).map(\.line) == [1, 2, 3, 4, 4, 5])
    }

    @Test("an import outside of the table is found with its line")
    func arrow() throws {
        let room = try #require(House.room(named: "Kernels"))
        let (file, tokens) = swift("// words\n\ninternal import CKernels\nimport Synchronization\nimport Glibc\n")
        #expect(Imports.check(file, tokens, in: room).map(\.line) == [5])
        let civil = try #require(House.room(named: "CivilTime"))
        let (scoped, types) = swift(
            "import struct Foundation.TimeZone\nimport Foundation\nimport struct Foundation.URL\n")
        #expect(Imports.check(scoped, types, in: civil).map(\.line) == [2, 3])
        let dump = try #require(House.room(named: "chunk-dump"))
        let (other, more) = swift("import Foundation\nimport Kymograph\n", path: "Tools/chunk-dump/A.swift")
        #expect(Imports.check(other, more, in: dump).map(\.line) == [2])
    }

    @Test("C rooms may include their own and pure headers, not other rooms' and system headers")
    func includes() throws {
        let room = try #require(House.room(named: "CKernels"))
        let file = TextFile(
            "Sources/CKernels/a.c",
            "#include <stdint.h>\n#include \"own.h\"\n#include <unistd.h>\n# include \"CGuard.h\"\n")
        let found = Imports.checkIncludes(file, Scanner(file), in: room, siblings: ["own.h"])
        #expect(found.map(\.line) == [3, 4])
        let guardRoom = try #require(House.room(named: "CGuard"))
        #expect(Imports.checkIncludes(file, Scanner(file), in: guardRoom, siblings: ["own.h", "CGuard.h"]).isEmpty)
    }

    @Test("the manifest's helpers and SwiftPM's own calls are read alike")
    func manifest() {
        let manifest = Manifest(
            TextFile(
                "Package.swift",
                """
                func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target { .target(name: name) }
                let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
                let package = Package(
                    name: "p", products: [.library(name: "A", targets: ["A"])],
                    targets: [
                        croom("C"), room("A", ["B", grdb], resources: [.copy("G")]), room("E", resources: []),
                        program("t", in: "Tools", ["A"]),
                        .target(name: "S", dependencies: ["A"], path: "x"),
                        tests("ATests", ["A"], resources: [.copy("Golden")]),
                    ])
                """))
        let shown = manifest.targets.map { "\($0.name): \($0.dependencies.sorted())" }
        #expect(
            shown == [
                "C: []", "A: [\"B\", \"GRDB\"]", "E: []", "t: [\"A\"]", "S: [\"A\"]", "ATests: [\"A\"]",
            ])
    }

    @Test("layout: line width in characters, trailing blanks, tabs and the end of the file are checked")
    func layout() {
        let wide = String(repeating: "é", count: 120)
        #expect(TextRules.layout(TextFile("a.swift", wide + "\n")).isEmpty)
        #expect(TextRules.layout(TextFile("a.swift", "x" + wide + "\n")).count == 1)
        #expect(TextRules.layout(TextFile("a.md", "| x" + wide + "\n")).isEmpty)
        #expect(TextRules.layout(TextFile("a.swift", "a \n\tb\nc")).map(\.line) == [1, 2, 4])
        #expect(TextRules.layout(TextFile("a.swift", "a\n\n")).count == 1)
    }

    @Test("the licence is on the first line, or on the second after a script's or manifest's first")
    func licence() {
        let mark = "SPDX-License-Identifier: Apache-2.0"
        #expect(TextRules.licence(TextFile("a.swift", "// \(mark)\n")).isEmpty)
        #expect(TextRules.licence(TextFile("Tools/t", "#!/usr/bin/env bash\n# \(mark)\n")).isEmpty)
        #expect(TextRules.licence(TextFile("Package.swift", "// swift-tools-version: 6.2\n// \(mark)\n")).isEmpty)
        #expect(TextRules.licence(TextFile("a.c", "// words\n// \(mark)\n")).count == 1)
        #expect(TextRules.licence(TextFile("a.md", "words\n")).isEmpty)
    }

    @Test("leftover markers, paths of one machine and words about the making are found")
    func words() {
        let bad = "// " + TextRules.markers[0] + ": later\nlet p = \"" + TextRules.machinePaths[0] + "x\"\n"
        #expect(TextRules.words(TextFile("a.swift", bad)).map(\.line) == [1, 2])
        let talk = "As " + TextRules.processWords[0] + " wrote\n"
        #expect(TextRules.words(TextFile("a.md", talk)).count == 1)
        #expect(TextRules.words(TextFile("a.md", "a network/work/ folder, MASTODONS\n")).isEmpty)
    }

    @Test("traps and access to the outside world are found in code only")
    func code() {
        let (file, tokens) = swift(
            """
            let a = try! f() // try! here is a comment
            let b = c as! Int
            fatalError("as!")
            let d = try !e
            let data = FileManager.default.contents(atPath: "")
            self.fork()
            fsync(3)
            """)
        #expect(CodeRules.traps(file, tokens).map(\.line) == [1, 2, 3])
        #expect(CodeRules.outsideWorld(file, tokens).map(\.line) == [5, 7])
    }

    @Test("SQL is found in strings, not in comments")
    func sql() {
        let (file, tokens) = swift("// SELECT x\nlet q = \"SELECT x FROM y\"\nlet r = \"a PRAGMA b\"\n")
        #expect(CodeRules.sql(file, tokens).map(\.line) == [2, 3])
    }

    @Test("regular expressions between slashes do not hide code")
    func regex() {
        let (file, tokens) = swift("let r = /a\"b/\nlet q = a / b / c\nlet s = try! f()\n")
        #expect(CodeRules.traps(file, tokens).map(\.line) == [3])
    }

    @Test("Swift functions: bodies and accessors have a length, protocol requirements have none")
    func swiftFunctions() {
        let (_, tokens) = swift(
            """
            protocol P { func g() throws -> Int
              var x: Int { get } }
            struct S {
              var stored = { 1 }()
              var plain: Int
              init(a: Int = { 3 }()) { self.init() }
              func long<T>(a: T) async throws(E) -> [Int]
              where T: P {
                if true {
                }
              }
              subscript(i: Int) -> Int { 1 }
              var computed: Int {
                2
              }
            }
            """)
        let shown = Functions.of(tokens, swift: true).map { "\($0.name) \($0.line) \($0.length)" }
        #expect(shown == ["x 2 1", "init 6 1", "long 7 5", "subscript 12 1", "computed 13 3"])
    }

    @Test("parameters: a trailing closure and the parameters that an initialiser keeps are not counted")
    func parameters() {
        let seven = (1...7).map { "_ p\($0): Int" }.joined(separator: ", ")
        let (file, tokens) = swift(
            """
            func six(a: [Int: (Int, Int)], of b: A<Int, Int>, c: (Int, Int) -> Int, d: Int = f(1, 2), e: Int, f: Int) {}
            func trailing(a: Int, b: Int, c: Int, d: Int, e: Int, f: Int, _ body: (Int) -> Void) {}
            func seven<T: P>(\(seven)) where T: Q {}
            func two(a: Int, b: Int, c: Int, d: Int, e: Int, g: () -> Void, h: Int, _ body: () -> Void) {}
            struct S {
              init(a: Int, b: Int, c: Int, d: Int, e: Int, f: Int, g: Int) {
                self.a = a; self.b = b; self.c = c; self.d = d; self.e = e
                super.init(f: f, g: g)
              }
              init(a: Int, b: Int, c: Int, d: Int, e: Int, f: Int, with g: Int) { self.init(a: a, b: b, c: g) }
              func call() { self.init(a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7) }
              static func == (a: S, b: S) -> Bool { true }
            }
            """)
        let lists = Parameters.lists(tokens)
        #expect(lists.map(\.names.count) == [6, 7, 7, 8, 7, 7, 0, 2])
        #expect(lists[0].names == ["a", "b", "c", "d", "e", "f"])
        #expect(Parameters.check(file, tokens).map(\.line) == [3, 4, 10])
    }

    @Test("C functions: tables and macros are not functions")
    func cFunctions() {
        let file = TextFile(
            "a.c",
            """
            #define M(x) do { \\
              x; } while (0)
            static const int table[] = {1, 2};
            extern "C" {
            __attribute__((target("avx2")))
            static int f(int a)
            {
                if (a) { return '"'; }
                return 0;
            }
            }
            """)
        let found = Functions.of(Scanner(file).tokens, swift: false)
        #expect(found.map(\.length) == [6])
        #expect(found.map(\.line) == [5])
    }

    @Test("counts of the ratchet may fall but not grow, and unneeded lines are reported")
    func ratchet() throws {
        let (file, tokens) = swift(
            "let a = unsafe b\nnonisolated(unsafe) var c = 1\nstruct S: @unchecked Sendable {}\n@unsafe func d() {}\n")
        var now = Ratchet()
        now.measure(file, tokens)
        #expect(now.text.hasSuffix("unchecked Sources/Kernels 2\nunsafe Sources/Kernels 1\n"))
        #expect(try Ratchet(text: now.text) == now)
        #expect(now.check(against: now).isEmpty)
        #expect(now.check(against: Ratchet()).count == 2)
        let looser = try Ratchet(text: "unsafe Sources/Kernels 9\nunchecked Sources/Kernels 2\n")
        #expect(now.check(against: looser).isEmpty)
        let stale = try Ratchet(text: now.text + "lines Sources/Gone.swift 900\n")
        #expect(now.check(against: stale).count == 1)
        #expect(throws: Ratchet.BadLine.self) { try Ratchet(text: "unsafe Sources/Kernels many\n") }
    }

    @Test("files longer than 500 lines and functions longer than 70 are counted")
    func lengths() {
        let body = String(repeating: "    a()\n", count: 499)
        let (file, tokens) = swift("func f() {\n" + body + "}\n")
        var now = Ratchet()
        now.measure(file, tokens)
        #expect(now.text.hasSuffix("function Sources/Kernels/A.swift:f 501\nlines Sources/Kernels/A.swift 501\n"))
    }

    @Test("links: missing targets, anchors, unreachable pages and missing files in code spans are found")
    func links() {
        let files = [
            TextFile(
                "Docs/README.md",
                "# A Title: x\n[a](A.md) [b](Gone.md) `[c](no.md)` [d](A.md#deep-part) [e](A.md#gone)\n`Sources/Gone`\n"
            ),
            TextFile("Docs/A.md", "## Deep part\n[up](../LICENSE) [self](#deep-part) <https://a.b>\n"),
            TextFile("Docs/Lost.md", "```\n[x](nowhere.md)\n```\n"),
        ]
        let pages = Pages(files, paths: ["Docs/README.md", "Docs/A.md", "Docs/Lost.md", "LICENSE"])
        #expect(pages.check().map(\.line) == [2, 2, 3])
        let code = TextFile("a.swift", "// See Docs/A.md.\n// `Docs/Sub/Gone.md` has it; Docs/ too\n")
        #expect(pages.checkMentions(in: [code]).map(\.line) == [2])
        #expect(pages.unreachable(from: "Docs/README.md").map(\.path) == ["Docs/Lost.md"])
    }

    @Test("feature rows: ranges are read, and unknown rows and untested done rows are found")
    func features() {
        let page = TextFile(
            "Docs/Features.md",
            """
            | row | feature | state |
            | --- | --- | --- |
            | E-1 | open | done |
            | S-1, S-3 to S-5 | much | missing |
            | E-2 | close | nearly |
            """)
        let features = Features(page)
        #expect(features.states.keys.sorted() == ["E-1", "E-2", "S-1", "S-3", "S-4", "S-5"])
        let (file, tokens) = swift("@Suite(\"E-9 and S-3 to S-5: x\")\nstruct A { @Test(\"not UTF-8\") func b() {} }\n")
        let named = Features.named(in: file, tokens).map { (row: $0.row, path: file.path, line: $0.line) }
        #expect(named.map(\.row) == ["E-9", "S-3", "S-4", "S-5"])
        #expect(features.check(tests: named).count == 3)
    }

    @Test("excerpts are compared without their indentation")
    func excerpt() {
        let file = TextFile("a.md", "x\n<!-- example -->\n\n    a\n      b\n<!-- /example -->\n")
        let lines = Excerpt.between("<!-- example -->", "<!-- /example -->", in: file)
        #expect(Excerpt.trimmed(lines) == ["a", "  b"])
    }
}
