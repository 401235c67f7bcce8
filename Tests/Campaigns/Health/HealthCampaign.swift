// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthModel
import Kymograph
import KymographHealth
import Synchronization
import TestSupport

/// Runs operations of HealthKit's API and compares with a model: answers after each operation, crashes before changing
/// calls, failing calls, and damaged files.
package enum HealthCampaign: Campaign {
    package static let name = "health"
    package static let summary = "objects, series and queries of HealthKit's API: model, crashes, errors, damage"

    /// The number of cases of each kind for one script.
    private static let ofEach = 12

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        var result = CampaignResult(suite: name, seed: plan.seed)
        let clock = CampaignClock(plan)
        let scripts = max(1, (plan.cases + 3 * ofEach) / (3 * ofEach + 1))
        let found = plan.sideBySide(scripts, until: clock) { index, _, mine in
            let script = HealthScript(seed: plan.seed &+ UInt64(index))
            do {
                let files = try live(script, &mine)
                let calls = try calls(of: script)
                for number in 0..<ofEach { try fail(script, number, of: calls, &mine) }
                for number in 0..<ofEach { try damage(script, number, files, &mine) }
                if index % 4 == 0 { try HealthConversion(seed: script.seed).run(cases: 4, &mine) }
            } catch {
                mine.fail("script \(script.seed): \(error)")
            }
            mine.count("scripts")
        }
        result.merge(found)
        do { try SessionLockFault.check(&result) } catch { result.fail("the lock of a session: \(error)") }
        result.seconds = clock.elapsed
        return result
    }

    // MARK: - Model and crashes

    /// An image of a crash.
    private struct Image {
        let disk: MemoryDisk
        /// The interrupted operation.
        let operation: Int
        /// The state of a program that queried before the operation.
        let mirror: HealthMirror
        let note: String
        /// Whether a session that the crash interrupted is continued, and not discarded.
        let isContinued: Bool
    }

    /// Returns the number of calls of a script to its disk, without queries.
    private static func calls(of script: HealthScript) throws -> Int {
        let disk = try FaultyDisk()
        disk.resetTrace(keep: false)
        let life = try HealthLife(disk)
        try life.open()
        for operation in script.operations { try life.perform(operation) }
        return disk.callCount
    }

    /// Runs a script and its model. Returns the files at its end.
    private static func live(
        _ script: HealthScript, _ result: inout CampaignResult
    ) throws -> MemoryDisk {
        result.cases += 1
        let disk = try FaultyDisk()
        disk.resetTrace(keep: false)
        let life = try HealthLife(disk)
        try life.open()
        // Reservoir sampling of the changes: each is equally likely, although threads vary their number.
        let images = Mutex<[[Image]]>([])
        let state = Mutex(
            (done: 0, step: 0, mirror: HealthMirror(), random: SeededGenerator(seed: script.seed ^ 0xFEED)))
        disk.observe { kind, path in
            CallSites.note(.crashed)
            let (done, step, mirror, place, seed) = state.withLock { state in
                state.step += 1
                let place = state.step <= ofEach ? state.step - 1 : state.random.below(state.step)
                return (state.done, state.step, state.mirror, place, state.random.next())
            }
            guard place < ofEach else { return }
            let models: [CrashModel] = [.loseAll, .any]
            let found = models.compactMap { model -> Image? in
                guard let left = try? disk.crash(seed: seed, model) else { return nil }
                let note = "before change \(step) (\(kind.rawValue) \(path)), \(model)"
                return Image(
                    disk: left, operation: done, mirror: mirror, note: note, isContinued: seed.isMultiple(of: 2))
            }
            images.withLock { images in
                if place < images.count { images[place] = found } else { images.append(found) }
            }
        }
        var mirror = HealthMirror()
        for (index, operation) in script.operations.enumerated() {
            state.withLock { ($0.done, $0.mirror) = (index, mirror) }
            try life.perform(operation)
            let wanted = script.states[index + 1]
            let lines = try life.lines()
            if lines != wanted.lines {
                result.fail(
                    "script \(script.seed), after \(index) \(operation.name): \(difference(lines, wanted.lines))")
                break
            }
            try ask(life, wanted, &mirror, "script \(script.seed), after \(index) \(operation.name)", &result)
        }
        disk.observe(nil)
        var chooser = SeededGenerator(seed: script.seed)
        for image in images.withLock({ $0.joined() }).shuffled(using: &chooser).prefix(ofEach) {
            try check(image, script, &result)
        }
        life.close()
        let left = try disk.crash(seed: script.seed, .keepAll)
        // The files to be damaged must be intact.
        let copy = try HealthLife(MemoryDisk(directories: left.directories, files: left.files))
        try copy.open()
        let (lines, wanted) = (try copy.lines(), script.states[script.operations.count].lines)
        if lines != wanted { result.fail("script \(script.seed), at its end: \(difference(lines, wanted))") }
        return left
    }

    /// Runs queries whose answers the model knows.
    private static func ask(
        _ life: HealthLife, _ state: HealthModelState, _ mirror: inout HealthMirror, _ note: String,
        _ result: inout CampaignResult
    ) throws {
        let door = try life.opened()
        if let fault = try mirror.fault(after: door, limit: 50) { result.fail("\(note): \(fault)") }
        let steps = state.samples.values.compactMap {
            $0.sampleType == HealthScript.steps ? $0 as? HKQuantitySample : nil
        }
        let wanted = steps.reduce(0.0) { $0 + $1.quantity.value }
        let sum = try HealthLife.awaited {
            let descriptor = HKStatisticsQueryDescriptor(
                predicate: .quantitySample(type: HealthScript.steps), options: [.cumulativeSum, .separateBySource])
            do {
                let found = try await descriptor.result(for: door)
                let source = found?.sources?.first
                return source.flatMap { found?.sumQuantity(for: $0)?.doubleValue(for: .count()) } ?? 0
            } catch let error as HKError where error.code == .errorNoData {
                return 0
            }
        }
        if sum != wanted { result.fail("\(note): the steps are \(sum), expected \(wanted)") }
        let sessions = try door.store().storedSessions()
        if !sessions.isEmpty { result.fail("\(note): \(sessions.count) sessions are stored, expected none") }
        result.count("questions")
    }

    private static func check(_ image: Image, _ script: HealthScript, _ result: inout CampaignResult) throws {
        result.cases += 1
        result.count("crashes in \(script.operations[image.operation].name)")
        let life = try HealthLife(image.disk)
        do {
            try life.open()
            let lines = try life.lines()
            let allowed = [script.states[image.operation].lines, script.states[image.operation + 1].lines]
            if !allowed.contains(lines) {
                result.fail(
                    "script \(script.seed), \(image.note) in \(script.operations[image.operation].name): neither the "
                        + "old state nor the new one: \(difference(lines, allowed[0]))")
            }
            var mirror = image.mirror
            if let fault = try mirror.fault(after: life.opened(), limit: 20) {
                result.fail("script \(script.seed), \(image.note): \(fault)")
            }
            try recover(
                life, lines, script.operations[image.operation], isContinued: image.isContinued, &result)
            // A writer cleans up first.
            try life.perform(.seal)
            let report = try life.store?.verify()
            if report?.isSound != true {
                let problems = report.map { "\($0)" } ?? ""
                result.fail("script \(script.seed), \(image.note): the store is damaged: \(problems.prefix(600))")
            }
        } catch {
            result.fail("script \(script.seed), \(image.note): \(error)")
        }
    }

    // MARK: - Errors

    /// Runs a script with one failing call.
    private static func fail(
        _ script: HealthScript, _ number: Int, of calls: Int, _ result: inout CampaignResult
    ) throws {
        result.cases += 1
        var random = SeededGenerator(seed: script.seed &* 104_729 &+ UInt64(number))
        let nth = 1 + random.below(max(1, calls))
        let isForEver = random.chance(0.3)
        let errno = random.pick([DiskError.inputOutput, DiskError.noSpace])
        let note = "script \(script.seed), call \(nth) fails \(isForEver ? "for ever" : "once") with \(errno)"
        let disk = try FaultyDisk()
        disk.resetTrace(keep: false)
        let life = try HealthLife(disk)
        disk.inject(
            DiskFault(
                Set(DiskCallKind.allCases), nth: nth, forever: isForEver, errno: errno,
                effect: random.pick([.nothing, .part])))
        var index = 0
        var attempts = 0
        while index < script.operations.count, attempts < 3 * script.operations.count {
            attempts += 1
            do {
                if life.store == nil { try life.open() }
                try life.perform(script.operations[index])
                index += 1
            } catch {
                result.count("operations failed")
                disk.clearFaults()
                try life.open()
                // A failed operation is not stored; with an unknown outcome it may be stored completely.
                let lines = try life.lines()
                if lines == script.states[index].lines { continue }
                let isUnknown =
                    (error as? HKError)?.isOutcomeUnknown ?? ((error as? StoreError)?.kind == .outcomeUnknown)
                guard isUnknown, lines == script.states[index + 1].lines else {
                    let name = script.operations[index].name
                    result.fail("\(note), in \(name): \(error); \(difference(lines, script.states[index].lines))")
                    return
                }
                result.count("of unknown outcome, and there after all")
                index += 1
            }
        }
        disk.clearFaults()
        if life.store == nil { try life.open() }
        let last = script.states[script.operations.count].lines
        let lines = try life.lines()
        if index < script.operations.count || lines != last {
            result.fail("\(note): at the end \(difference(lines, last))")
        }
    }

    // MARK: - Damage

    /// Changes a file and reads everything: each answer must be right or an error.
    private static func damage(
        _ script: HealthScript, _ number: Int, _ image: MemoryDisk, _ result: inout CampaignResult
    ) throws {
        result.cases += 1
        var random = SeededGenerator(seed: script.seed &* 15_485_863 &+ UInt64(number))
        var files = image.files
        let paths = files.keys.filter { !($0.hasSuffix("-shm") || (files[$0] ?? []).isEmpty) }.sorted()
        let path = random.pick(paths)
        var bytes = files[path] ?? []
        let at = random.below(bytes.count)
        switch random.below(4) {
        case 0: bytes[at] ^= 1 << UInt8(random.below(8))
        case 1: bytes[at] = UInt8(truncatingIfNeeded: random.next())
        case 2: for place in at..<min(bytes.count, at + 1 + random.below(600)) { bytes[place] = 0 }
        default: bytes.removeSubrange(at...)
        }
        files[path] = bytes
        let life = try HealthLife(MemoryDisk(directories: image.directories, files: files))
        do {
            try life.open()
            let lines = try life.lines()
            let wanted = script.states[script.operations.count].lines
            if lines != wanted {
                result.fail(
                    "script \(script.seed), damage \(number) of \(path) at \(at): \(difference(lines, wanted))")
            }
            result.count("damage without meaning")
        } catch {
            result.count("damage reported")
        }
    }

    /// Returns a short description of missing and extra lines.
    static func difference(_ found: [String], _ wanted: [String]) -> String {
        let missing = Set(wanted).subtracting(found).sorted()
        let extra = Set(found).subtracting(wanted).sorted()
        return "\(found.count) lines of \(wanted.count); missing \(missing.prefix(2)), extra \(extra.prefix(2))"
    }
}
