// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kymograph
import TestSupport

/// One case with a real limit: a child process runs a script under it, and afterwards its store is checked without the
/// limit.
struct LimitedCase {
    let limit: Limit
    let seed: UInt64
    /// The directory of this case.
    let place: String

    private var store: String { place + "/mount/store" }

    func run(_ result: inout CampaignResult) {
        do {
            guard let program = Self.program else {
                return skip("the campaign program is not next to this one", &result)
            }
            try FileManager.default.createDirectory(atPath: place + "/mount", withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: place) }
            if let mount = limit.mount?.tight {
                if try !shell(mount) { return skip(LoopVolume.mountObstacle ?? "mounting failed", &result) }
            }
            defer { unmount() }
            result.cases += 1
            result.count("real: \(limit.name)")
            let (lines, status) = try play(program)
            try judge(lines, status, &result)
        } catch {
            result.fail("\(error)")
        }
    }

    private func unmount() {
        if limit.mount != nil { _ = try? Self.execute("umount", "-l", place + "/mount") }
    }

    private func skip(_ why: String, _ result: inout CampaignResult) {
        result.count("skipped: \(limit.name): \(why)")
    }

    /// The campaign program: this one, or the one built next to the tests.
    private static let program: String? = {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        if own.lastPathComponent == "campaign" { return own.path }
        for argument in CommandLine.arguments where argument.contains(".xctest") {
            var folder = URL(fileURLWithPath: argument)
            while folder.path != "/", !folder.lastPathComponent.hasSuffix(".xctest") {
                folder.deleteLastPathComponent()
            }
            let path = folder.deletingLastPathComponent().appendingPathComponent("campaign").path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        return nil
    }()

    private static func execute(_ program: String, _ arguments: String...) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Runs a shell script with the path of the mount. Returns true if it succeeds.
    private func shell(_ script: String) throws -> Bool {
        try Self.execute("sh", "-c", "PATH=$PATH:/usr/sbin:/sbin; exec >&2; " + script, "sh", place + "/mount")
    }

    /// Returns the lines of the child, and the signal that ended it, or 0.
    private func play(_ program: String) throws -> ([LimitedChild.Line], Int32) {
        let said = place + "/said"
        _ = FileManager.default.createFile(atPath: said, contents: nil)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", limit.shell + "; exec \"$0\" --child \"$1\"", program, "\(seed):\(store)"]
        process.environment = [
            "SWIFT_BACKTRACE": "enable=no", "PATH": "/usr/bin:/bin", "KYMO_TEST_KEY": TestKey.isUsed ? "1" : "",
        ]
        let output = try FileHandle(forWritingTo: URL(fileURLWithPath: said))
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let begun = ContinuousClock.now
        while process.isRunning, begun.duration(to: .now) < .seconds(limit.patience) { usleep(2_000) }
        let hangs = process.isRunning
        if hangs { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        try output.close()
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: said)), as: UTF8.self)
        let status = process.terminationReason == .uncaughtSignal ? process.terminationStatus : 0
        if hangs, limit.patience > 10 { throw StoreError(.cancelled, "the process does not end") }
        return (text.split(separator: "\n").compactMap { LimitedChild.Line($0) }, status)
    }

    private func judge(_ lines: [LimitedChild.Line], _ status: Int32, _ result: inout CampaignResult) throws {
        guard lines.first == .started else { return result.count("real: \(limit.name): too little for a process") }
        let operations = LimitedChild.script(seed).operations
        var model = StoreModel()
        var pending: Int?
        for line in lines {
            switch line {
            case .started, .ended: break
            case .begun(let index): pending = index
            case .done(let index):
                model.apply(operations[index])
                pending = nil
                result.count("operations done")
            case .refused(_, let kind):
                if kind != StoreError.Kind.outcomeUnknown.name { pending = nil }
                result.count("real: \(limit.name): \(kind)")
                if !limit.kinds.contains(kind) { result.fail("an error of kind \(kind)") }
            case .wrong(let what): result.fail(what)
            }
        }
        if lines.last != .ended {
            // Too little memory may end a process. The system's queue library may end it without a descriptor for
            // events. Nothing else may.
            switch limit {
            case .memory: break
            case .descriptors where status == SIGILL || status == SIGTRAP: break
            default: return result.fail("the process was ended by signal \(status)")
            }
            result.count("real: \(limit.name): ended by the system")
        }
        var allowed = [model.digest]
        if let pending {
            model.apply(operations[pending])
            allowed.append(model.digest)
        }
        try look(allowed, &result)
    }

    /// Checks the store as the child left it, first with the limit and then without.
    private func look(_ allowed: [UInt64], _ result: inout CampaignResult) throws {
        let exists = FileManager.default.fileExists(atPath: store + "/kymograph.sqlite")
        if case .readOnly = limit {
            let isReadOnly = try Self.execute("mount", "-o", "remount,ro", place + "/mount")
            if !isReadOnly { return result.fail("cannot remount read-only") }
        }
        if exists { try lookUnderLimit(allowed, &result) }
        if let wide = limit.mount?.wide {
            if try !shell(wide) { return result.fail("cannot enlarge the mount") }
        }
        var options = LimitedChild.options
        // A background merge would change files while they are counted.
        options.compacts = false
        let opened = try TimeSeriesStore.openOrCreate(at: store, options: options)
        defer { opened.close() }
        let found = try SimulatedStore.digest(of: opened)
        if exists, !allowed.contains(found) {
            result.fail("the store differs from the acknowledged content")
        }
        try opened.perform(.series("afterwards", .discrete))
        try opened.perform(.load([("afterwards", [Sample(start: 1, value: 1)])]))
        try opened.perform(.append("afterwards", [Sample(start: 2, value: 2)]))
        try opened.perform(.seal)
        let problems = try opened.verify().problems
        if let first = problems.first { result.fail("verify: \(first.path): \(first.message)") }
        let named = try opened.info().segments
        let there = try FileManager.default.contentsOfDirectory(atPath: store + "/segments").count
        if named != there { result.fail("\(there) segments exist, \(named) are named") }
    }

    private func lookUnderLimit(_ allowed: [UInt64], _ result: inout CampaignResult) throws {
        if case .readOnly = limit {
            do throws(StoreError) {
                try TimeSeriesStore.open(at: store, options: LimitedChild.options).close()
                result.fail("a store on a read-only mount opens for writing")
            } catch {
                if error.kind != .readOnly { result.fail("read-only: \(error.kind.name): \(error)") }
            }
        }
        do {
            let reader = try TimeSeriesStore.open(at: store, mode: .readOnly, options: LimitedChild.options)
            defer { reader.close() }
            let found = try SimulatedStore.digest(of: reader)
            if !allowed.contains(found) { result.fail("a reader sees a wrong state") }
        } catch let error as StoreError {
            // No space for SQLite's two small files next to the catalog.
            result.count("real: \(limit.name): reading refused")
            if !limit.kinds.contains(error.kind.name) || limit.mount == nil {
                result.fail("reading: \(error)")
            }
        }
    }
}
