// SPDX-License-Identifier: Apache-2.0

import Testing

/// The repository with the tokens of every Swift and C file, scanned once for all tests.
struct Scanned {
    let repository: Repository
    private let scanners: [String: Scanner]

    static let here = Scanned(Repository.here)

    init(_ repository: Repository) {
        self.repository = repository
        let code = repository.texts.filter { ["swift", "c", "h"].contains($0.kind) }
        scanners = Dictionary(uniqueKeysWithValues: code.map { ($0.path, Scanner($0)) })
    }

    func scanner(_ file: TextFile) -> Scanner { scanners[file.path] ?? Scanner(file) }
    func tokens(_ file: TextFile) -> [Token] { scanner(file).tokens }

    /// The folders with our own code.
    static let codeFolders = ["Sources", "Tools", "Benchmarks", "Tests", "Docs/Examples"]

    func files(in folders: [String], _ kinds: Set<String>) -> [TextFile] {
        folders.flatMap { repository.files(under: $0, kinds) }
    }
}

/// Records one issue that lists all violations.
func expectNone(_ violations: [Violation], sourceLocation: SourceLocation = #_sourceLocation) {
    if violations.isEmpty { return }
    let list = violations.sorted().map(\.description).joined(separator: "\n")
    Issue.record("\(violations.count) found:\n\(list)", sourceLocation: sourceLocation)
}
