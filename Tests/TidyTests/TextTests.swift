// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Tidy: text and counts")
struct TextTests {
    private let here = Scanned.here

    @Test("files satisfy the rules for line width, blanks, licence and words")
    func text() {
        let count = here.repository.texts.count
        #expect(count > 50)
        expectNone(here.repository.texts.flatMap { TextRules.check($0) })
    }

    @Test("comments, pages and messages avoid the worst patterns of hard English")
    func plainWords() {
        let code = here.files(in: ["Sources", "Tools"], ["swift"])
        let reports = "Benchmarks/reports/20"
        let texts = here.repository.texts.filter { !$0.path.hasPrefix(reports) }
        expectNone(texts.flatMap { PlainWords.check($0) })
        expectNone(code.flatMap { PlainWords.check($0, messages: here.tokens($0)) })
        let bad = TextFile("a.swift", "let x = 1 // No" + "body is to" + "ld\nlet y = 2\n")
        #expect(PlainWords.check(bad).count == 2)
    }

    /// A scanner that misreads a quote or slash would skip code up to the end of the file.
    @Test("brackets balance in every file, so the scanner misread nothing")
    func balance() {
        expectNone(
            here.files(in: Scanned.codeFolders, ["swift", "c", "h"]).compactMap { file in
                let marks = here.tokens(file).filter { $0.kind == .mark }.map(\.text)
                let opened = marks.count { ["(", "[", "{"].contains($0) }
                let closed = marks.count { [")", "]", "}"].contains($0) }
                if opened == closed { return nil }
                return Violation(path: file.path, line: 1, message: "\(opened) brackets opened, \(closed) closed")
            })
    }

    @Test("no Swift function takes more than six parameters")
    func parameters() {
        let code = here.files(in: ["Sources", "Tools"], ["swift"])
        #expect(code.contains { !Parameters.lists(here.tokens($0)).isEmpty })
        expectNone(code.flatMap { Parameters.check($0, here.tokens($0)) })
    }

    /// Lengths of files and functions and the number of unsafe marks may fall but not grow. `UPDATE_RATCHET=1` in the
    /// environment writes the present counts into the table; the difference is part of the review.
    @Test("lengths and unsafe marks are within Ratchet.txt")
    func ratchet() throws {
        var now = Ratchet()
        for file in here.files(in: Scanned.codeFolders, ["swift", "c", "h", "py", "sh"]) {
            now.measure(file, ["py", "sh"].contains(file.kind) ? [] : here.tokens(file))
        }
        let path = here.repository.root + "/" + Ratchet.path
        if ProcessInfo.processInfo.environment["UPDATE_RATCHET"] == "1" {
            try Data(now.text.utf8).write(to: URL(fileURLWithPath: path))
            return
        }
        let committed = try Ratchet(text: String(contentsOfFile: path, encoding: .utf8))
        expectNone(now.check(against: committed))
    }
}
