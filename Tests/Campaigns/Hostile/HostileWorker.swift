// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import HealthModel
import KymographHealth
import TestSupport

/// A request to a worker.
struct HostileRequest: Codable {
    enum Verb: String, Codable { case open, `import`, content, verify, close }

    var verb: Verb
    var path = ""
}

/// The answer of a worker.
struct HostileReply: Codable {
    struct Issue: Codable {
        var reason: String
        var line: Int
        var offset: Int
        var what: String
    }

    /// The thrown error, and its kind.
    var error: String?
    var kind: String?
    var added = 0
    var reported = 0
    var complete = false
    var committed = false
    var issues: [Issue] = []
    var content: [String: Int] = [:]
    var problems: [String] = []
    /// The growth of memory during the request, in KiB.
    var growth = 0
}

/// Imports files in a process that an import may kill.
enum HostileWorker {
    /// - Parameter folder: the folder of the case; only the store in it may be written.
    static func main(_ folder: String) {
        _ = FileManager.default.changeCurrentDirectoryPath(folder)
        unsafe setenv("TMPDIR", folder + "/temporary", 1)
        unsafe setenv("HOME", folder, 1)
        var store: HealthStore?
        let encoder = JSONEncoder()
        while let line = readLine() {
            guard let request = try? JSONDecoder().decode(HostileRequest.self, from: Data(line.utf8)) else { return }
            var reply = HostileReply()
            do {
                try answer(request, &store, &reply)
            } catch {
                reply.error = "\(error)"
                reply.kind = kind(of: error)
            }
            guard let text = try? encoder.encode(reply),
                (try? FileHandle.standardOutput.write(contentsOf: text + [0x0A])) != nil
            else { return }
        }
    }

    private static func answer(
        _ request: HostileRequest, _ store: inout HealthStore?, _ reply: inout HostileReply
    ) throws {
        if request.verb == .open {
            store = try HealthStore.openOrCreate(at: request.path)
            return
        }
        guard let open = store else { throw CampaignError("the store is not open") }
        switch request.verb {
        case .open: break
        case .import:
            let before = MemoryUse.restart()
            defer { reply.growth = MemoryUse.peak() - before }
            try take(AppleHealthImporter.importFile(request.path, into: open), &reply)
        case .content: reply.content = try content(of: open)
        case .verify:
            let report = try open.verify()
            reply.problems = report.problems + report.engine.problems.map { "\($0.path): \($0.message)" }
        case .close:
            open.close()
            store = nil
        }
    }

    private static func take(_ outcome: ImportOutcome, _ reply: inout HostileReply) {
        reply.added = outcome.added + outcome.objectsAdded + outcome.documentsAdded
        reply.reported = outcome.repaired + outcome.skipped
        reply.complete = outcome.complete
        reply.committed = outcome.committed
        reply.issues = outcome.issues.map {
            HostileReply.Issue(
                reason: $0.reason.rawValue, line: $0.line, offset: Int(clamping: $0.offset), what: $0.what)
        }
    }

    private static func kind(of error: any Error) -> String {
        guard let error = error as? ImportError else { return "other" }
        switch error {
        case .store(let error): return "store \(error.kind)"
        case .cancelled: return "cancelled"
        case .export(.unreadable): return "unreadable"
        case .export(.notAnExport): return "notAnExport"
        case .export(.refused): return "refused"
        case .export(.damagedArchive): return "damagedArchive"
        case .export(.consumer): return "consumer"
        }
    }

    /// Returns the content of a store, as lines.
    private static func content(of store: HealthStore) throws -> [String: Int] {
        var lines: [String: Int] = [:]
        for overview in try store.types() {
            try store.samples(SampleRequest(overview.type)) { batch in
                for sample in batch { lines[line(sample), default: 0] += 1 }
                return true
            }
        }
        for kind in ImportedElementKind.allCases {
            try store.objects(kind) { object in
                lines[HostileContent.object("\(kind)", object.start, object.xml), default: 0] += 1
                return true
            }
        }
        for line in try HealthLife.awaited({ try await electrocardiograms(of: store) }) {
            lines[line, default: 0] += 1
        }
        for document in try store.documents() {
            let bytes = try store.documentBytes(document.id) ?? []
            lines[HostileContent.document(document.path, bytes), default: 0] += 1
        }
        for (key, value) in try store.characteristics() { lines["characteristic|\(key)|\(value)"] = 1 }
        return lines
    }

    private static func electrocardiograms(of store: HealthStore) async throws -> [String] {
        let (health, millivolts) = (HKHealthStore(store), HKUnit.voltUnit(with: .milli))
        var lines: [String] = []
        for one in try await HKSampleQueryDescriptor(predicates: [.electrocardiogram()]).result(for: health) {
            var (count, sum) = (0, 0.0)
            for try await voltage in HKElectrocardiogramQueryDescriptor(one).results(for: health) {
                count += 1
                sum += voltage.quantity(for: .appleWatchSimilarToLeadI)?.doubleValue(for: millivolts) ?? .nan
            }
            let start = Int64((one.startDate.timeIntervalSince1970 * 1_000).rounded()) * 1_000_000
            lines.append(HostileContent.electrocardiogram(start: start, count: count, sum: sum))
        }
        return lines
    }

    private static func line(_ sample: HealthSample) -> String {
        let metadata = sample.metadata
        var more = metadata.entries.map { "\($0.key)=\($0.value)" }
        if let beats = metadata.beats { more += beats.map { "\($0.bpm)@\($0.time)" } + ["beats"] }
        more += metadata.attributes.map { "\($0.key):\($0.value)" } + metadata.children
        more += [sample.version.map { "version=\($0)" }, sample.device.map { "device=\($0)" }].compactMap { $0 }
        let text = sample.valueName ?? sample.originalValue
        return HostileContent.sample(
            type: sample.type.identifier, source: sample.source, unit: sample.unit, start: sample.start,
            end: sample.end, value: sample.value, original: text, more: more.joined(separator: ";"))
    }
}

/// The memory of this process, as counted by the system.
enum MemoryUse {
    /// Resets the peak. Returns the resident memory in KiB.
    static func restart() -> Int {
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        return value("VmRSS:")
    }

    /// Returns the peak of resident memory since the reset, in KiB.
    static func peak() -> Int { value("VmHWM:") }

    private static func value(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
