// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Tidy: imports between rooms")
struct ImportTests {
    private let here = Scanned.here

    @Test("every import is in the table")
    func imports() {
        let files = here.files(in: ["Sources", "Tools", "Benchmarks"], ["swift"])
        let count = files.count
        #expect(count > 50)
        expectNone(
            files.flatMap { file -> [Violation] in
                guard let room = House.room(of: file.path) else {
                    return [Violation(path: file.path, line: 1, message: "is in no room of the table")]
                }
                return Imports.check(file, here.tokens(file), in: room)
            })
    }

    @Test("C rooms include their own headers and few others")
    func includes() {
        let files = here.files(in: ["Sources"], ["c", "h"])
        expectNone(
            files.flatMap { file -> [Violation] in
                guard let room = House.room(of: file.path) else {
                    return [Violation(path: file.path, line: 1, message: "is in no room of the table")]
                }
                let own = here.repository.files(under: room.folder, ["h"])
                let siblings = Set(own.compactMap { $0.path.split(separator: "/").last.map(String.init) })
                return Imports.checkIncludes(file, here.scanner(file), in: room, siblings: siblings)
            })
    }

    @Test("imports point to lower floors, except the listed ones on the same floor")
    func floors() {
        for room in House.rooms {
            for name in room.imports.subtracting(House.products) {
                guard let other = House.room(named: name) else {
                    Issue.record("\(room.name) imports \(name), which is not a room")
                    continue
                }
                let sideways = other.floor == room.floor && House.sideways.contains([room.name, name])
                #expect(other.floor < room.floor || sideways, "\(room.name) -> \(name)")
            }
        }
        #expect(House.room(named: "chunk-dump")?.imports.contains("Kymograph") == false)
        #expect(House.rooms.filter { $0.system.contains("Glibc") }.map(\.name) == ["FileSystem"])
    }

    @Test("Package.swift declares the imports of the table")
    func manifest() throws {
        let manifest = Manifest(try here.repository.file("Package.swift"))
        for room in House.rooms {
            let target = manifest.targets.first { $0.name == room.name }
            #expect(target?.dependencies == room.imports, "\(room.name) in Package.swift")
        }
        for target in manifest.targets
        where !["tests", "testTarget"].contains(target.kind) && !House.testing.contains(target.name) {
            #expect(
                House.room(named: target.name) != nil, "\(target.name) is in Package.swift but not in the table")
        }
    }

    @Test("The manifest of the fuzzers declares the same rooms with the same imports")
    func fuzzManifest() throws {
        let manifest = Manifest(try here.repository.file("Tests/Fuzz/Package.swift"))
        let rooms = manifest.targets.filter { House.room(named: $0.name) != nil }
        #expect(rooms.count > 10)
        for target in rooms {
            #expect(target.dependencies == House.room(named: target.name)?.imports, "\(target.name)")
        }
    }

    @Test("Docs/Internals/Architecture.md shows the table")
    func architecture() throws {
        let page = Markdown(try here.repository.file("Docs/Internals/Architecture.md"))
        let table = try #require(page.tables.first { $0.first?.prefix(2) == ["floor", "room"] })
        #expect(table.first == ["floor", "room", "imports", "system modules", "one sentence"])
        var shown: [Room] = []
        for row in table.dropFirst(2) where row.count == 5 {
            let paths = Markdown.names(in: row[1]).sorted()
            for path in paths {
                let parts = path.split(separator: "/")
                let parent = parts.count > 1 ? String(parts[0]) : "Sources"
                let (imports, system) = (Markdown.names(in: row[2]), Markdown.names(in: row[3]))
                shown.append(
                    Room(Int(row[0]) ?? -1, String(parts[parts.count - 1]), in: parent, imports, system: system))
            }
        }
        for room in House.rooms {
            #expect(shown.contains(room), "\(room.name): the page says \(shown.filter { $0.name == room.name })")
        }
        #expect(shown.count == House.rooms.count)
    }

    @Test("a test imports only declared dependencies of its target")
    func testTargets() throws {
        let manifest = Manifest(try here.repository.file("Package.swift"))
        // The fuzzers are in a separate package.
        let files = here.files(in: ["Tests"], ["swift"]).filter { !$0.path.hasPrefix("Tests/Fuzz/") }
        expectNone(
            files.flatMap { file -> [Violation] in
                let name = String(file.path.split(separator: "/")[1])
                let declared = manifest.targets.first { $0.name == name }?.dependencies ?? []
                let allowed = declared.union(House.testModules)
                return Imports.of(here.tokens(file)).filter { !allowed.contains($0.module) }.map {
                    Violation(
                        path: file.path, line: $0.line,
                        message: "\(name) does not declare \($0.module) in Package.swift")
                }
            })
    }

    @Test("examples import only the products")
    func examples() {
        let allowed: Set<String> = [
            "Kymograph", "KymographHealth", "AppleHealthExport", "WorkoutFiles", "Foundation", "PackageDescription",
        ]
        expectNone(
            here.files(in: ["Docs/Examples"], ["swift"]).flatMap { file in
                Imports.of(here.tokens(file)).filter { !allowed.contains($0.module) }.map {
                    Violation(path: file.path, line: $0.line, message: "an example may not import \($0.module)")
                }
            })
    }

    @Test("SQL is only in the catalogs")
    func sql() {
        // The last two are benchmarks that run plain SQLite for comparison.
        let catalogs = [
            "Sources/SQLiteConnection/", "Sources/Catalog/", "Sources/HealthCatalog/",
            "Benchmarks/BenchSupport/Peers/PlainSQLite.swift", "Benchmarks/BenchSupport/Health/HealthSQLite.swift",
            "Benchmarks/BenchSupport/Health/WorkoutSQLite.swift",
        ]
        let files = here.files(in: ["Sources", "Tools", "Benchmarks"], ["swift"])
        expectNone(
            files.filter { file in !catalogs.contains { file.path.hasPrefix($0) } }.flatMap { file in
                CodeRules.sql(file, here.tokens(file))
            })
    }

    @Test("only FileSystem accesses the outside world, and nothing traps")
    func outsideWorld() {
        expectNone(
            here.files(in: ["Sources"], ["swift"]).flatMap { file -> [Violation] in
                let tokens = here.tokens(file)
                let outside = file.path.hasPrefix("Sources/FileSystem/") ? [] : CodeRules.outsideWorld(file, tokens)
                return outside + CodeRules.traps(file, tokens)
            })
    }
}
