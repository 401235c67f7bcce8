// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Tidy: folders of a room")
struct FolderTests {
    private let here = Scanned.here

    /// The maximum number of Swift files directly in a folder.
    private static let most = 20
    /// Types that every folder of the engine may use.
    private static let faces: Set<String> = ["TimeSeriesStore", "StoreContext", "Snapshot", "StoreError"]
    private static let engine = "Sources/Kymograph"

    /// A row of the page's tables of folders.
    private struct Folder {
        let path: String
        let sentence: String
        /// Folders below in the table whose types this folder may use.
        let besides: Set<String>
    }

    private func tables() throws -> (engine: [Folder], others: [Folder]) {
        let tables = Markdown(try here.repository.file("Docs/Internals/Architecture.md")).tables.filter {
            $0.first?.first == "folder"
        }
        func rows(_ table: [[String]], in parent: String) -> [Folder] {
            table.dropFirst(2).compactMap { row in
                guard let name = Markdown.names(in: row[0]).first else { return nil }
                return Folder(
                    path: parent + name, sentence: row[1], besides: row.count > 2 ? Markdown.names(in: row[2]) : [])
            }
        }
        try #require(tables.count == 2)
        return (rows(tables[0], in: Self.engine + "/"), rows(tables[1], in: ""))
    }

    /// Returns the Swift files directly in each folder under some roots.
    private func tree(_ roots: [String]) -> [String: [TextFile]] {
        Dictionary(grouping: here.files(in: roots, ["swift"])) { file in
            file.path.split(separator: "/").dropLast().joined(separator: "/")
        }
    }

    @Test("no folder has more than 20 Swift files directly in it")
    func sizes() {
        for (folder, files) in tree(Scanned.codeFolders) {
            #expect(files.count <= Self.most, "\(folder) has \(files.count) files; split it into folders")
        }
    }

    @Test("Docs/Internals/Architecture.md has a sentence for each folder of a room, and lists no other folder")
    func sentences() throws {
        let tables = try tables()
        let shown = tables.engine + tables.others
        let rooms = Set(House.rooms.map(\.folder))
        let found = Set(tree(["Sources", "Tools", "Benchmarks"]).keys).subtracting(rooms)
        #expect(Set(shown.map(\.path)).subtracting(found).sorted() == [], "these folders do not exist")
        #expect(found.subtracting(shown.map(\.path)).sorted() == [], "these folders are missing in the page")
        #expect(shown.count == found.count && shown.allSatisfy { !$0.sentence.isEmpty })
    }

    @Test("a folder of the engine uses types only of folders above it and of folders that the page lists")
    func directions() throws {
        let folders = try tables().engine
        let files = tree([Self.engine])
        var homes: [String: Int] = [:]
        for (place, folder) in folders.enumerated() {
            for file in files[folder.path] ?? [] {
                for name in declared(here.tokens(file)) { homes[name] = place }
            }
        }
        #expect(homes.count > 150, "too few types of the engine found")
        for (place, folder) in folders.enumerated() where folder.path != Self.engine + "/Store" {
            var arrows: [String: String] = [:]
            for file in files[folder.path] ?? [] {
                for token in here.tokens(file) where token.kind == .word && !Self.faces.contains(token.text) {
                    guard let home = homes[token.text], home > place else { continue }
                    let target = folders[home].path.dropFirst(Self.engine.count + 1)
                    arrows[String(target)] = "\(file.path):\(token.line) names \(token.text)"
                }
            }
            for (target, example) in arrows where !folder.besides.contains(target) {
                Issue.record("\(example), of \(target), which is below it in Docs/Internals/Architecture.md")
            }
            let stale = folder.besides.subtracting(arrows.keys)
            #expect(stale.isEmpty, "\(folder.path) uses no type of \(stale.sorted()); remove it from the page")
        }
    }

    /// Returns the top-level types of a file that other files can use.
    private func declared(_ tokens: [Token]) -> [String] {
        let kinds: Set<String> = ["class", "struct", "enum", "protocol", "actor", "typealias"]
        var depth = 0
        var names: [String] = []
        for (i, token) in tokens.enumerated() {
            if token.kind == .mark { depth += token.text == "{" ? 1 : token.text == "}" ? -1 : 0 }
            guard depth == 0, token.kind == .word, kinds.contains(token.text), i + 1 < tokens.count else { continue }
            let before = tokens[max(0, i - 3)..<i].map(\.text)
            if before.contains("private") || before.contains("fileprivate") { continue }
            if tokens[i + 1].kind == .word { names.append(tokens[i + 1].text) }
        }
        return names
    }
}
