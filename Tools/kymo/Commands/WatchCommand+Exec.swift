// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import Foundation
import KymographHealth

extension WatchCommand {
    /// Pauses before a command that failed is run again.
    private static let pauses: [useconds_t] = [1_000_000, 2_000_000, 4_000_000]

    /// Runs a command for what comes and goes, and lets the store remember what it has handled.
    func execute(_ command: String, _ zone: CivilZone, _ output: Output) throws -> ExitStatus {
        let path = try store.resolved()
        var options = StoreOptions()
        // No longer, so that a request to end is seen while another process writes.
        options.writerWait = .seconds(1)
        let store = try HealthStore.open(at: path, mode: .shared, options: options)
        defer { store.close() }
        let type = try type.resolved(store)
        let owner = "kymo watch \(name ?? "")"
        let fresh = Subscription(
            owner: owner, type: type.identifier, frequency: .immediate,
            anchor: all ? "" : store.engine.currentAnchor().text)
        let known = try store.subscription(of: owner, to: type.identifier)
        var subscription = known ?? fresh
        // From now on, whatever happens before the first change.
        if known == nil { try keep(subscription, store) }
        let request = SampleRequest(type, limit: 10_000)
        while !Interrupt.isRequested {
            var lines = WatchLines(output, zone, type, asJSON: true)
            var isEmpty = true
            let page: (anchor: ChangeAnchor, isComplete: Bool)
            do throws(HealthStoreError) {
                page = try store.changes(
                    request, since: ChangeAnchor(text: subscription.anchor),
                    onDeletions: { all throws(HealthStoreError) in
                        isEmpty = false
                        lines.delete(all)
                    },
                    { samples throws(HealthStoreError) in
                        isEmpty = isEmpty && samples.isEmpty
                        lines.add(samples)
                        return true
                    })
            } catch {
                guard error.kind == .engine(.anchorExpired), !subscription.anchor.isEmpty else { throw error }
                Messages.write("\(error.message); beginning with everything that is there")
                subscription.anchor = ""
                continue
            }
            if !isEmpty {
                lines.end(at: page.anchor)
                try handle(lines.take(), command, path, type)
                subscription.anchor = page.anchor.text
                subscription.acknowledged = Int64(Date().timeIntervalSince1970 * 1e9)
                try keep(subscription, store)
            } else if !page.isComplete {
                subscription.anchor = page.anchor.text
            }
            if page.isComplete, once { return .done }
            if page.isComplete { usleep(50_000) }
        }
        return .done
    }

    /// Keeps the subscription, however long another process writes, until somebody asks to stop.
    private func keep(_ subscription: Subscription, _ store: HealthStore) throws {
        do {
            try store.keep(subscription) { !Interrupt.isRequested }
        } catch {
            guard Interrupt.isRequested else { throw error }
            throw Failure(
                .interrupted, "interrupted before the store could remember what was told; it is told again")
        }
    }

    /// Runs the command until it ends well.
    private func handle(_ lines: [UInt8], _ command: String, _ path: String, _ type: HealthType) throws {
        var status = try run(command, lines, path, type)
        for pause in Self.pauses where status != 0 && !Interrupt.isRequested {
            usleep(pause)
            if !Interrupt.isRequested { status = try run(command, lines, path, type) }
        }
        if status == 0 { return }
        if Interrupt.isRequested {
            throw Failure(.interrupted, "interrupted; what the command was told is told again at the next start")
        }
        throw Failure(
            .failed, "the command ended with \(status) each time; what it was told is told again at the next start")
    }

    private func run(_ command: String, _ lines: [UInt8], _ path: String, _ type: HealthType) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["KYMO_STORE": path, "KYMO_TYPE": type.identifier]
        ) { _, new in new }
        process.standardInput = try Self.input(lines)
        try process.run()
        var isTold = false
        while process.isRunning {
            usleep(10_000)
            guard Interrupt.isRequested, !isTold else { continue }
            isTold = true
            // All that the command has started, where it is a group of its own; else its shell. What a shell starts
            // beside itself would not hear of a Ctrl-C.
            let child = process.processIdentifier
            if kill(-child, SIGTERM) != 0 { kill(child, SIGTERM) }
        }
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    }

    /// Lines to read. A file and no pipe: a command that does not read it must not stop this program. Nobody else can
    /// open it, and it has no name any more, so that it goes however this program ends.
    private static func input(_ lines: [UInt8]) throws -> FileHandle {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("kymo-watch-\(UUID().uuidString)")
        try RealDisk().createFile(file.path, lines)
        defer { try? FileManager.default.removeItem(at: file) }
        return try FileHandle(forReadingFrom: file)
    }
}
