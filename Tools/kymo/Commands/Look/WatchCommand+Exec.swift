// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import KymographHealth

extension WatchCommand {
    /// The pauses before a failed command runs again, in milliseconds.
    private static let pauses = [1_000, 2_000, 4_000]

    /// Runs the command for changes and stores a subscription with the last handled anchor.
    func execute(_ command: String, _ output: Output) throws -> ExitStatus {
        let path = try store.resolved()
        var options = Stores.options()
        // Waits at most a second, so that a request to stop is noticed while another process writes.
        options.writerWait = .seconds(1)
        let store = try HealthStore.open(at: path, mode: .shared, options: options)
        defer { store.close() }
        let zone = try zone.resolved(store)
        let type = try resolvedType(store)
        let owner = "kymo watch \(name ?? "")"
        let fresh = Subscription(
            owner: owner, type: type.identifier, frequency: .immediate,
            anchor: all ? "" : store.engine.currentAnchor().text)
        let known = try store.subscription(of: owner, to: type.identifier)
        var subscription = known ?? fresh
        // Stored before the first change, so that no later change is missed.
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
                Messages.write("\(error.message); starting again with all samples")
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
            if page.isComplete { SystemClock.sleep(milliseconds: 50) }
        }
        return .done
    }

    /// Stores the subscription; waits for another process's write until a request to stop.
    private func keep(_ subscription: Subscription, _ store: HealthStore) throws {
        do {
            try store.keep(subscription) { !Interrupt.isRequested }
        } catch {
            guard Interrupt.isRequested else { throw error }
            throw Failure(
                .interrupted, "interrupted before the handled changes were recorded; they are sent again")
        }
    }

    /// Runs the command until it succeeds; throws after the last retry.
    private func handle(_ lines: [UInt8], _ command: String, _ path: String, _ type: HealthType) throws {
        var status = try run(command, lines, path, type)
        for pause in Self.pauses where status != 0 && !Interrupt.isRequested {
            SystemClock.sleep(milliseconds: pause)
            if !Interrupt.isRequested { status = try run(command, lines, path, type) }
        }
        if status == 0 { return }
        if Interrupt.isRequested {
            throw Failure(.interrupted, "interrupted; the changes are sent to the command again at the next start")
        }
        throw Failure(
            .failed, "the command failed with status \(status) each time; the changes are sent again at the next start")
    }

    /// Returns a process that runs a command in a shell, with additional variables.
    static func shell(_ command: String, _ variables: [String: String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = ProcessInfo.processInfo.environment.merging(variables) { _, new in new }
        return process
    }

    private func run(_ command: String, _ lines: [UInt8], _ path: String, _ type: HealthType) throws -> Int32 {
        let process = Self.shell(command, ["KYMO_STORE": path, "KYMO_TYPE": type.identifier])
        process.standardInput = try Self.input(lines)
        try process.run()
        var isSignalled = false
        while process.isRunning {
            SystemClock.sleep(milliseconds: 10)
            guard Interrupt.isRequested, !isSignalled else { continue }
            isSignalled = true
            Environment.terminate(child: process.processIdentifier)
        }
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    }

    /// Returns the lines as standard input of the command: a file, because a pipe would stop this program if the
    /// command does not read it. The file is private and already unlinked, so it disappears however this program ends.
    private static func input(_ lines: [UInt8]) throws -> FileHandle {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("kymo-watch-\(UUID().uuidString)")
        try RealDisk().createFile(file.path, lines)
        defer { try? FileManager.default.removeItem(at: file) }
        return try FileHandle(forReadingFrom: file)
    }
}
