// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Compares the result of a hostile import with the expected one.
struct HostileJudge {
    let expected: HostileExpectation
    /// The content of the store before the import.
    let base: [String: Int]
    let note: String

    init(_ expected: HostileExpectation, base: [String: Int], note: String) {
        self.expected = expected
        self.base = base
        self.note = note
    }

    /// The good file that is imported after each hostile one. Its records include those of the hostile ones.
    static let original: HostileExport = {
        var export = HostileExport()
        export.records(24)
        export.object(
            "workout", start: 1_700_000_000_000_000_000,
            "<Workout workoutActivityType=\"HKWorkoutActivityTypeRunning\" duration=\"30\" "
                + "startDate=\"2023-11-14 22:13:20 +0000\" endDate=\"2023-11-14 22:43:20 +0000\"/>")
        return export
    }()

    /// Checks the library's answer and the store's content.
    func judge(_ reply: HostileReply, _ content: [String: Int], _ result: inout CampaignResult) {
        if reply.growth > HostileCampaign.growthLimit {
            result.fail("\(note): memory grew by \(reply.growth >> 10) MiB")
        }
        for mebibytes in [32, 64, 128] where reply.growth > mebibytes << 10 {
            result.count("imports that took more than \(mebibytes) MiB")
        }
        if content.keys.contains(where: { $0.contains(HostileFolder.secretText) }) {
            result.fail("\(note): a file outside the store was imported")
        }
        if let error = reply.error {
            judgeRefusal(error, reply.kind ?? "", &result)
            if content != base { result.fail("\(note): refused, but the store \(difference(base, content))") }
            result.count("refused")
            return
        }
        result.count("kept, with \(reply.reported == 0 ? "no report" : "a report")")
        judgeContent(content, isReportedIncomplete: !reply.complete || reply.reported > 0, &result)
        if case .refused = expected.outcome { return }
        if let complete = expected.complete, complete != reply.complete {
            result.fail("\(note): complete is \(reply.complete)")
        }
        judgeIssues(reply, &result)
    }

    private func judgeRefusal(_ error: String, _ kind: String, _ result: inout CampaignResult) {
        switch expected.outcome {
        case .refused(let texts):
            if !texts.isEmpty, !texts.contains(where: error.contains) {
                result.fail("\(note): refused with \"\(error)\", which lacks \(texts)")
            }
        case .either, .damaged: break
        case .kept, .more: result.fail("\(note): refused with \"\(error)\"")
        }
        let typed = ["unreadable", "notAnExport", "refused", "damagedArchive"]
        if !typed.contains(kind) { result.fail("\(note): an error of kind \(kind): \(error)") }
        if error.count > 8_000 { result.fail("\(note): an error of \(error.count) characters") }
    }

    private func judgeContent(_ content: [String: Int], isReportedIncomplete: Bool, _ result: inout CampaignResult) {
        let whole = base.merging(expected.good) { $0 + $1 }
        switch expected.outcome {
        case .refused: result.fail("\(note): imported instead of refused")
        case .kept:
            if content != whole { result.fail("\(note): \(difference(whole, content))") }
        case .more:
            if !whole.allSatisfy({ content[$0.key, default: 0] >= $0.value }) {
                result.fail("\(note): \(difference(whole, content))")
            }
        case .either, .damaged:
            let isDamaged = if case .damaged = expected.outcome { true } else { false }
            let isWithin = isDamaged || content.allSatisfy { whole[$0.key, default: 0] >= $0.value }
            let isAbove = base.merging(expected.least) { $0 + $1 }.allSatisfy {
                content[$0.key, default: 0] >= $0.value
            }
            if !isWithin || !isAbove { result.fail("\(note): \(difference(whole, content))") }
            if content != whole, !isReportedIncomplete { result.fail("\(note): content is missing, unreported") }
        }
    }

    /// Expects an issue for every planted fault, with its reason and place.
    private func judgeIssues(_ reply: HostileReply, _ result: inout CampaignResult) {
        var left = reply.issues
        for planted in expected.planted {
            let found = left.firstIndex { issue in
                issue.reason == planted.reason && planted.place.contains(issue.offset)
                    && (issue.line == 0) == planted.isInArchive
            }
            guard let found else {
                let reported = reply.issues.prefix(5).map { "\($0.reason) at line \($0.line), byte \($0.offset)" }
                result.fail("\(note): \(planted.reason) at \(planted.place) is not reported; issues: \(reported)")
                return
            }
            left.remove(at: found)
            result.count("faults reported")
        }
        if expected.isExact, let extra = left.first {
            result.fail("\(note): \(left.count) extra issues: \(extra.reason) at \(extra.offset) ...")
        }
        if let silent = reply.issues.first(where: { $0.what.isEmpty || ($0.line == 0 && $0.offset < 0) }) {
            result.fail("\(note): an issue without text or place: \(silent)")
        }
    }

    /// Checks the command line's exit status and the store's content.
    func judge(exit status: Int32, _ content: [String: Int], _ result: inout CampaignResult) {
        guard status & 0x7F == 0 else {
            result.fail("\(note): kymo \(Self.ending(status))")
            return
        }
        let code = status >> 8
        if code == 1 {
            if !mayBeRefused { result.fail("\(note): kymo refuses the file") }
            if content != base {
                result.fail("\(note): refused by kymo, but the store \(difference(base, content))")
            }
        } else if code == 0 || code == 2 {
            judgeContent(content, isReportedIncomplete: true, &result)
            // These issues are printed without changing the exit status, because nothing is lost.
            if code == 0,
                expected.planted.contains(where: { !["ignoredFile", "missingAttribute"].contains($0.reason) })
            {
                result.fail("\(note): kymo reports nothing")
            }
        } else {
            result.fail("\(note): kymo exits with \(code)")
        }
    }

    private var mayBeRefused: Bool {
        switch expected.outcome {
        case .refused, .either, .damaged: true
        case .kept, .more: false
        }
    }

    /// Checks the import of the good file after the hostile one.
    func judgeOriginal(
        _ reply: HostileReply, _ content: [String: Int], after hostile: [String: Int], _ result: inout CampaignResult
    ) {
        if let error = reply.error { result.fail("\(note): the good file afterwards: \(error)") }
        var whole = hostile
        // An import adds each record as often as the file has it, minus the copies already stored.
        for (line, count) in Self.original.good { whole[line] = max(whole[line, default: 0], count) }
        if content != whole { result.fail("\(note): after the good file, \(difference(whole, content))") }
    }

    func expectSound(_ reply: HostileReply, _ result: inout CampaignResult) {
        if let problem = reply.problems.first ?? reply.error { result.fail("\(note): verify reports \(problem)") }
    }

    func expectUntouched(_ before: Set<String>, _ after: Set<String>, _ result: inout CampaignResult) {
        let changed = before.symmetricDifference(after)
        if let first = changed.first { result.fail("\(note): \(changed.count) files outside the store: \(first)") }
    }

    private func difference(_ whole: [String: Int], _ content: [String: Int]) -> String {
        let missing = whole.filter { content[$0.key, default: 0] < $0.value }.map(\.key).sorted()
        let extra = content.filter { whole[$0.key, default: 0] < $0.value }.map(\.key).sorted()
        return "lacks \(missing.count) and has \(extra.count) extra: \(missing.prefix(2)) \(extra.prefix(2))"
    }

    /// Describes the end of a process.
    static func ending(_ status: Int32) -> String {
        status & 0x7F == 0 ? "ended with \(status >> 8)" : "was ended by signal \(status & 0x7F)"
    }

    /// Returns a hash of a file's content; of the name if it is not a regular file.
    static func fingerprint(_ file: String, _ name: String) -> UInt64 {
        var about = stat()
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        guard unsafe lstat(file, &about) == 0, about.st_mode & S_IFMT == S_IFREG, about.st_size < 4 << 20,
            let data = FileManager.default.contents(atPath: file)
        else {
            for byte in name.utf8 { add(byte) }
            return hash
        }
        for byte in file[(file.lastIndex(of: "/") ?? file.startIndex)...].utf8 { add(byte) }
        for byte in data { add(byte) }
        return hash
    }
}
