// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Tidy: pages")
struct DocsTests {
    private let here = Scanned.here
    private var pages: Pages {
        let repository = here.repository
        return Pages(repository.texts, paths: Set(repository.paths).union(repository.folders))
    }

    @Test("links and file names in code spans lead to existing files")
    func links() { expectNone(pages.check()) }

    @Test("pages named in comments exist")
    func mentions() {
        let kinds: Set<String> = ["swift", "c", "h", "py", "sh"]
        let files = here.files(in: Scanned.codeFolders, kinds).filter { !$0.path.hasPrefix("Tests/TidyTests/") }
        expectNone(pages.checkMentions(in: files))
    }

    @Test("every page is reachable from Docs/README.md")
    func reachable() { expectNone(pages.unreachable(from: "Docs/README.md")) }

    @Test("tests name existing feature rows, and each row with the state done has a test")
    func features() throws {
        let features = Features(try here.repository.file(Features.path))
        let missing = (1...180).filter { features.states["S-\($0)"] == nil }
        #expect(missing.isEmpty, "HealthKit rows missing in the page of features")
        let tests = here.files(in: ["Tests"], ["swift"]).filter { !$0.path.hasPrefix("Tests/TidyTests/") }
        expectNone(
            features.check(
                tests: tests.flatMap { file in
                    Features.named(in: file, here.tokens(file)).map { ($0.row, file.path, $0.line) }
                }))
    }

    @Test("every promise of Durability.md names existing suites and campaigns as proof")
    func proofs() throws {
        let page = Markdown(try here.repository.file("Docs/Operations/Durability.md"))
        let promises = try #require(page.tables.first { $0.first?.last == "proved by" }).dropFirst(2)
        let evidence = try #require(page.tables.first { $0.first == ["what", "where it is tried"] }).dropFirst(2)
        let tests = here.files(in: ["Tests"], ["swift"])
        let known =
            Set(tests.map { String($0.path.split(separator: "/").last?.dropLast(6) ?? "") })
            .union(
                tests.filter { $0.path.hasSuffix("Campaign.swift") }.flatMap { file in
                    file.lines.compactMap { line in
                        line.firstRange(of: "static let name = \"").map { line[$0.upperBound...].dropLast() }
                    }.map { "campaign \($0)" }
                })
        #expect(promises.count > 5 && evidence.count > 5)
        for row in Array(promises) + Array(evidence) {
            let proofs = Markdown.names(in: row.last ?? "")
            #expect(!proofs.isEmpty || row.last?.contains("](") == true, "\(row[0]) names no proof")
            #expect(proofs.allSatisfy(known.contains), "\(row[0]) names \(proofs.filter { !known.contains($0) })")
        }
    }

    @Test("the first file of each room in the README's map exists")
    func map() throws {
        let readme = Markdown(try here.repository.file("README.md"))
        let table = try #require(readme.tables.first { $0.first == ["room", "what it is", "open first"] })
        let paths = Set(here.repository.paths)
        for row in table.dropFirst(2) where row.count == 3 {
            let files = Markdown.names(in: row[2]).filter { $0.hasSuffix(".swift") }
            let rooms = Markdown.names(in: row[0])
            #expect(files.allSatisfy { file in rooms.contains { paths.contains("\($0)/\(file)") } }, "\(row[0])")
        }
    }

    /// The code of an example is between `<!-- example NAME -->` and `<!-- /example -->` on a page, and between
    /// `// example NAME begins` and `// example NAME ends` in a test that runs it. Articles of a DocC catalogue
    /// repeat examples of the guides.
    @Test("the Swift examples of the pages equal the tested ones")
    func examples() throws {
        let tests = here.files(in: ["Tests"], ["swift"]).filter { $0.path.hasSuffix("ExampleTests.swift") }
        let shown = examplePages.flatMap { page in
            Excerpt.names("<!-- example ", " -->", in: page).map { (name: $0, page: page) }
        }
        let tested = tests.flatMap { test in
            Excerpt.names("// example ", " begins", in: test).map { (name: $0, test: test) }
        }
        #expect(shown.count > 10)
        let guides = shown.filter { !$0.page.path.hasPrefix("Sources/") }
        #expect(guides.map(\.name).sorted() == tested.map(\.name).sorted(), "examples and their tests")
        #expect(Set(shown.map(\.name)) == Set(guides.map(\.name)), "an article has an example that no guide has")
        for (name, page) in shown {
            guard let test = tested.first(where: { $0.name == name })?.test else { continue }
            let lines = Excerpt.between("<!-- example \(name) -->", "<!-- /example -->", in: page)
            let code = lines.filter { !$0.hasPrefix("```") && !$0.hasPrefix("import ") }
            let other = Excerpt.between("// example \(name) begins", "// example \(name) ends", in: test)
            #expect(!code.isEmpty && Excerpt.trimmed(code) == Excerpt.trimmed(other), "\(page.path): \(name)")
            let modules = lines.filter { $0.hasPrefix("import ") }.map { String($0.dropFirst(7)) }
            let imported = Imports.of(here.tokens(test)).map(\.module)
            #expect(modules.allSatisfy(imported.contains), "\(page.path): the test of \(name) lacks an import")
        }
    }

    @Test("every guide and every page on operations has an example that a test runs")
    func guides() {
        let guides = examplePages.filter {
            $0.path.hasPrefix("Docs/Guide/") || $0.path.hasPrefix("Docs/Operations/")
        }
        #expect(guides.count > 9)
        for page in guides where page.path != "Docs/Guide/HealthKitCoverage.md" {
            let marks = Excerpt.names("<!-- example ", " -->", in: page) + Excerpt.names("<!-- run ", " -->", in: page)
            #expect(!marks.isEmpty, "\(page.path)")
        }
    }

    private var examplePages: [TextFile] {
        let roots = ["README.md", "Docs/", "Sources/"]
        return here.repository.texts.filter { text in
            text.kind == "md" && roots.contains { text.path.hasPrefix($0) }
        }
    }
}

/// The lines of a file between two markers.
enum Excerpt {
    /// The names between a prefix and a suffix, in the order of the file.
    static func names(_ prefix: String, _ suffix: String, in file: TextFile) -> [String] {
        file.lines.compactMap { line in
            let text = line.drop { $0 == " " }
            guard text.hasPrefix(prefix), text.hasSuffix(suffix) else { return nil }
            return String(text.dropFirst(prefix.count).dropLast(suffix.count))
        }
    }

    static func between(_ first: String, _ last: String, in file: TextFile) -> [String] {
        let lines = file.lines.map(String.init)
        guard let start = lines.firstIndex(where: { $0.contains(first) }) else { return [] }
        guard let end = lines[start...].firstIndex(where: { $0.contains(last) }) else { return [] }
        return Array(lines[(start + 1)..<end])
    }

    /// Removes empty lines at both ends and the common indentation.
    static func trimmed(_ lines: [String]) -> [String] {
        let indent = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        var rest = lines.map { String($0.dropFirst(indent)) }[...]
        while rest.first?.isEmpty == true { rest.removeFirst() }
        while rest.last?.isEmpty == true { rest.removeLast() }
        return Array(rest)
    }
}
