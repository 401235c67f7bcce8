// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import Synchronization
import TestSupport

/// Runs a script on a disk of a fixed size. Operations without space are skipped. Every error must be `diskFull`, and
/// no acknowledged content may be missing at any time.
struct SpaceLife {
    private let script: StoreScript
    private let disk: FaultyDisk
    private let simulated: SimulatedStore
    private let capacity: UInt64?
    private var model = StoreModel()

    init(_ script: StoreScript, capacity: UInt64?) throws {
        self.script = script
        self.capacity = capacity
        disk = try FaultyDisk()
        disk.resetTrace(keep: false)
        simulated = try SimulatedStore(disk)
    }

    /// Returns the maximum number of bytes that a script needs.
    static func demand(of script: StoreScript) throws -> UInt64 {
        let life = try SpaceLife(script, capacity: nil)
        let most = Mutex<UInt64>(0)
        let disk = life.disk
        disk.observe { _, _ in
            let used = disk.usedBytes
            most.withLock { $0 = max($0, used) }
        }
        try life.simulated.create()
        for operation in script.operations { try life.simulated.perform(operation) }
        life.simulated.close()
        disk.observe(nil)
        return max(most.withLock { $0 }, disk.usedBytes)
    }

    mutating func run(_ result: inout CampaignResult) throws {
        disk.setCapacity(capacity)
        guard try create(&result) else { return }
        for operation in script.operations where model.isPossible(operation) {
            if case .reopen = operation {
                try reopen(&result)
            } else if try perform(operation, &result) {
                model.apply(operation)
            }
            guard try simulated.digest() == model.digest else {
                return result.fail("after \(operation.name) the store differs from the acknowledged content")
            }
        }
        try relieve(&result)
    }

    /// Returns false without space for a store; then a creation with space must succeed.
    private func create(_ result: inout CampaignResult) throws -> Bool {
        do {
            try simulated.create()
            return true
        } catch {
            result.count("creations refused")
            if error.kind != .diskFull { result.fail("creation: \(error.kind.rawValue): \(error)") }
            disk.setCapacity(nil)
            try simulated.create()
            return false
        }
    }

    private func perform(_ operation: StoreOperation, _ result: inout CampaignResult) throws -> Bool {
        let before = disk.usedBytes
        do {
            try simulated.perform(operation)
            result.count("operations done")
            return true
        } catch let error as StoreError {
            result.count("operations refused: \(operation.name)")
            if error.kind != .diskFull { result.fail("\(operation.name): \(error.kind.rawValue): \(error)") }
            let segments = try disk.list(SimulatedStore.path + "/segments").count
            if try simulated.opened().info().segments != segments {
                result.fail("\(operation.name) was refused but left a segment")
            }
            if disk.usedBytes > before + 70_000 { result.fail("\(operation.name) was refused but used space") }
            return false
        }
    }

    /// Closes and reopens the store: without space to write, reading must work.
    private func reopen(_ result: inout CampaignResult) throws {
        do {
            try simulated.open()
        } catch {
            result.count("openings for writing refused")
            if error.kind != .diskFull { result.fail("opening: \(error.kind.rawValue): \(error)") }
            try simulated.open(.readOnly)
            if try simulated.digest() != model.digest { result.fail("a reader on the full disk sees a wrong state") }
            disk.setCapacity(disk.usedBytes + 65_536)
            try simulated.open()
        }
    }

    /// Frees space: without reopening all operations must work, and after a power cut all acknowledged content must be
    /// present.
    private mutating func relieve(_ result: inout CampaignResult) throws {
        disk.setCapacity(nil)
        let more = StoreOperation.append("canary pulse", [Sample(start: 7, value: 7)])
        for operation in [
            .series("canary pulse", .discrete), more, .load([("canary pulse", [Sample(start: 9, value: 9)])]), .seal,
        ] {
            try simulated.perform(operation)
            model.apply(operation)
        }
        if try simulated.digest() != model.digest { result.fail("with space again the store has the wrong content") }
        let image = try disk.crash(seed: script.seed, .loseAll)
        let after = try SimulatedStore(image)
        try after.open()
        if try after.digest() != model.digest { result.fail("after a power cut the store has the wrong content") }
        let problems = try after.opened().verify().problems
        if let first = problems.first { result.fail("verify: \(first.path): \(first.message)") }
        let info = try after.opened().info()
        if info.ballastBytes != 24_576 { result.fail("the ballast has \(info.ballastBytes) bytes") }
        after.close()
        simulated.close()
    }
}
