// SPDX-License-Identifier: Apache-2.0

import FileSystem
import HealthSync
import KymographHealth

// What a synchronisation prints.
extension SyncCommand {
    func write(_ report: SyncReport, _ output: Output) throws {
        if reporting.json {
            var json = JSONWriter(lines: 1)
            json.beginObject()
            json.field("peer", report.peer)
            for (key, changes) in [("received", report.received), ("sent", report.sent)] {
                json.key(key)
                json.beginObject()
                json.field("samples", changes.samples)
                json.field("objects", changes.objects)
                json.field("deletions", changes.deletions)
                json.field("documents", changes.documents)
                json.field("attachments", changes.attachments)
                json.field("bytes", Int(clamping: changes.bytes))
                json.endObject()
            }
            json.field("passedOver", report.passedOver)
            json.field("changedValues", report.changedValues)
            if explain { explained(report, &json) }
            json.key("pruned")
            json.beginObject()
            json.field("samples", report.pruned.samples)
            json.field("objects", report.pruned.objects)
            json.field("historyBegin", report.pruned.firstDay)
            json.endObject()
            json.endObject()
            json.endLine()
            return try output.write(json.take())
        }
        if reporting.quiet { return }
        try output.line("received: " + Self.text(report.received))
        try output.line("sent:     " + Self.text(report.sent))
        if report.changedValues > 0 {
            try output.line(
                "changed:  " + NumberText.count(report.changedValues, "setting or decision", "settings and decisions"))
        }
        if let day = report.pruned.firstDay {
            let (samples, objects) = (report.pruned.samples, report.pruned.objects)
            let counts = NumberText.count(samples, "sample") + ", " + NumberText.count(objects, "object")
            try output.line("pruned:   \(counts); the history begins on \(day)")
        }
        if explain { try explained(report, output) }
    }

    // MARK: Rules

    private func explained(_ report: SyncReport, _ json: inout JSONWriter) {
        json.key("rules")
        json.beginObject()
        for (rule, count) in report.rules.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            json.field(rule.rawValue, count)
        }
        json.endObject()
        json.key("conflicts")
        json.beginArray()
        for one in report.conflicts {
            json.beginObject()
            json.field("rule", one.rule.rawValue)
            json.field("subject", one.subject)
            json.endObject()
        }
        json.endArray()
    }

    private func explained(_ report: SyncReport, _ output: Output) throws {
        if report.rules.isEmpty { return try output.line("no rule was needed") }
        for (rule, count) in report.rules.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            try output.line("\(rule.text): \(count)")
            for one in report.conflicts where one.rule == rule {
                try output.line("  " + TerminalText.printable(one.subject))
            }
        }
    }

    private static func text(_ changes: SyncReport.Changes) -> String {
        if changes.isEmpty { return "nothing new" }
        return [
            NumberText.count(changes.samples, "sample"), NumberText.count(changes.objects, "object"),
            NumberText.count(changes.deletions, "deletion"),
        ].joined(separator: ", ") + " (" + NumberText.bytes(Int64(clamping: changes.bytes)) + ")"
    }

    func write(_ peers: [HealthStorePeer], _ output: Output) throws -> ExitStatus {
        for peer in peers { try output.line(TerminalText.printable(peer.name) + "  " + peer.store) }
        return .done
    }
}

extension SyncRule {
    /// The rule in words.
    fileprivate var text: String {
        switch self {
        case .known: "stored already under the same identity"
        case .deletion: "deleted in one store, which counts"
        case .higherVersion: "the higher version of a sync identifier counts"
        case .lowerIdentity: "the same version twice, the lower identity counts"
        case .laterValue: "the later value of a setting or characteristic counts"
        case .laterDecision: "the later decision about a program counts"
        case .denial: "decided at the same time, the refusal counts"
        case .answer: "a decision answers a request"
        case .request: "a request without an answer"
        case .reset: "the decisions about a program were removed"
        }
    }
}
