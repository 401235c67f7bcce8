// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Commands of a page between `<!-- run NAME -->` and `<!-- /run -->`.
struct GuideRun: CustomTestStringConvertible, Sendable {
    let page: String
    let name: String
    let script: String
    var testDescription: String { "\(page): \(name)" }

    /// The blocks of all pages.
    static let all: [GuideRun] = {
        let docs = repository.appendingPathComponent("Docs")
        let names = FileManager.default.enumerator(atPath: docs.path)?.compactMap { $0 as? String } ?? []
        let pages = names.filter { $0.hasSuffix(".md") }.sorted().map { "Docs/" + $0 } + ["README.md"]
        return pages.flatMap { page in
            let url = repository.appendingPathComponent(page)
            return runs(in: (try? String(contentsOf: url, encoding: .utf8)) ?? "", page)
        }
    }()

    private static func runs(in text: String, _ page: String) -> [GuideRun] {
        text.components(separatedBy: "<!-- run ").dropFirst().compactMap { rest in
            guard let end = rest.range(of: " -->"), let last = rest.range(of: "<!-- /run -->") else { return nil }
            let block = rest[end.upperBound..<last.lowerBound].split(separator: "\n")
            let script = block.filter { !$0.hasPrefix("```") }.joined(separator: "\n")
            return GuideRun(page: page, name: String(rest[..<end.lowerBound]), script: script)
        }
    }
}

@Suite("T-1 the commands of the guides work on the sample export")
struct GuideRunTests {
    @Test("The pages have blocks of commands")
    func some() { #expect(GuideRun.all.count > 5) }

    @Test("Each block of commands succeeds in a folder with the sample export", arguments: GuideRun.all)
    func works(_ run: GuideRun) throws {
        let name = "kymograph-guide-\(UUID().uuidString)"
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.copyItem(
            at: repository.appendingPathComponent("Docs/Samples/sample-export.zip"),
            to: folder.appendingPathComponent("export.zip"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-e", "-c", run.script]
        process.currentDirectoryURL = folder
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = Tool.directory.path + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        environment["KYMO_STORE"] = nil
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        let log = folder.appendingPathComponent("log")
        try Data().write(to: log)
        let handle = try FileHandle(forWritingTo: log)
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        process.waitUntilExit()
        try handle.close()
        let output = String(decoding: try Data(contentsOf: log).suffix(2_000), as: UTF8.self)
        #expect(process.terminationStatus == 0, "\(output)")
    }
}
