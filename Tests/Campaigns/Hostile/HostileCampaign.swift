// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport

/// Imports malicious files into a non-empty store, in a child process. Expects no crash, no hang, bounded memory, no
/// access outside the store, no bad data stored, no good data lost, and an issue for each fault.
package enum HostileCampaign: Campaign {
    package static let name = "hostile"
    package static let summary = "hostile imports: archives, XML, values and paths made to break or mislead"

    /// The maximum growth of memory in one import, in KiB.
    static let growthLimit = 256 << 10
    /// The maximum seconds of one import, on a busy machine.
    static let secondsLimit = 20.0

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        var result = CampaignResult(suite: name, seed: plan.seed)
        let clock = CampaignClock(plan)
        let port = try TrapPort()
        // Files tried before with another seed are not counted again.
        let seen = Mutex<Set<UInt64>>([])
        let lanes = try (0..<plan.lanes).map { try HostileLane("\(plan.work)/lane-\($0)", plan, port.port) }
        var seed = plan.seed
        while result.cases < plan.cases, !clock.isOver {
            var cases = HostileCase.all(seed: seed, isShort: plan.cases < 100)
            var random = SeededGenerator(seed: seed ^ 0x5EED)
            cases.shuffle(using: &random)
            let note = "seed \(seed)"
            let chosen = cases.prefix(plan.cases - result.cases).map { $0 }
            let found = plan.sideBySide(chosen.count, until: clock) { number, lane, mine in
                let print = lanes[lane].run(chosen[number], note, withProgram: number % 6 == 0, &mine)
                if seen.withLock({ $0.insert(print).inserted }) { mine.cases += 1 }
            }
            result.merge(found)
            result.count("rounds")
            seed &+= 1
        }
        for lane in lanes { lane.end() }
        if port.wasCalled() { result.fail("an import connected to port \(port.port)") }
        result.seconds = clock.elapsed
        return result
    }
}

/// A folder, a child process that imports, and the cases that they run in sequence.
final class HostileLane: Sendable {
    private let folder: HostileFolder
    private let template: String
    private let program: String
    private let kymo: String?
    private let child = Mutex<ChildProgram?>(nil)
    /// The content of the store before an import.
    private let base: [String: Int]

    /// - Parameter path: the lane's own folder.
    init(_ path: String, _ plan: CampaignPlan, _ port: UInt16) throws {
        folder = HostileFolder(path: path + "/case", port: port)
        template = path + "/template"
        program = plan.program
        let beside = URL(fileURLWithPath: plan.program).deletingLastPathComponent().appendingPathComponent("kymo").path
        kymo = FileManager.default.isExecutableFile(atPath: beside) ? beside : nil
        var known = HostileExport(first: 1_000)
        known.records(40)
        known.object("workout", start: nil, "<Workout workoutActivityType=\"HKWorkoutActivityTypeWalking\"/>")
        let bloodType = "characteristic|HKCharacteristicTypeIdentifierBloodType|HKBloodTypeAPositive"
        base = known.good.merging([bloodType: 1]) { $1 }
        try folder.prepare()
        let file = try folder.write(known.finished, to: "known.xml")
        _ = try ask(.open, template)
        let reply = try ask(.import, file)
        guard reply.error == nil, reply.committed else { throw CampaignError("no initial store: \(reply)") }
        guard try ask(.content, "").content == base else { throw CampaignError("the initial store is wrong") }
        _ = try ask(.close, "")
    }

    func end() { child.withLock { $0 = nil } }

    /// Runs a case. Returns a fingerprint of the imported file.
    func run(_ one: HostileCase, _ seed: String, withProgram: Bool, _ result: inout CampaignResult) -> UInt64 {
        let note = "\(seed), \(one.group): \(one.name)"
        do {
            try folder.prepare()
            let file = try one.make(folder)
            let print = HostileJudge.fingerprint(file, one.name)
            let judge = HostileJudge(one.expected, base: base, note: note)
            try library(file, judge, &result)
            if let kymo, withProgram || one.needsProgram { try commandLine(kymo, file, judge, &result) }
            result.count("imports: \(one.group)")
            return print
        } catch {
            // The end of the child is reported; the next case gets a new child.
            let status = child.withLock { $0?.kill() }
            result.fail("\(note): \(error)" + (status.map { "; the child \(HostileJudge.ending($0))" } ?? ""))
            end()
            return 0
        }
    }

    /// Imports with the library, in the child.
    private func library(_ file: String, _ judge: HostileJudge, _ result: inout CampaignResult) throws {
        try FileManager.default.copyItem(atPath: template, toPath: folder.store)
        let original = try folder.write(HostileJudge.original.finished, to: "original.xml")
        let before = folder.inventory()
        _ = try ask(.open, folder.store)
        let begun = ContinuousClock.now
        let reply = try ask(.import, file)
        let took = ContinuousClock.now - begun
        if took > .seconds(HostileCampaign.secondsLimit / 4) {
            result.count("imports of more than \(Int(HostileCampaign.secondsLimit / 4)) seconds")
        }
        let after = try ask(.content, "").content
        judge.judge(reply, after, &result)
        judge.expectSound(try ask(.verify, ""), &result)
        // Imports the good file afterwards.
        let second = try ask(.import, original)
        judge.judgeOriginal(second, try ask(.content, "").content, after: after, &result)
        if try ask(.import, original).committed { result.fail("\(judge.note): a repeated good import adds") }
        judge.expectSound(try ask(.verify, ""), &result)
        _ = try ask(.close, "")
        judge.expectUntouched(before, folder.inventory(), &result)
        // A large child would hide the memory used by the next import.
        if reply.growth > 64 << 10 { end() }
    }

    /// Imports with `kymo import`, which must give the same result.
    private func commandLine(
        _ kymo: String, _ file: String, _ judge: HostileJudge, _ result: inout CampaignResult
    ) throws {
        try FileManager.default.removeItem(atPath: folder.store)
        try FileManager.default.copyItem(atPath: template, toPath: folder.store)
        let before = folder.inventory()
        let run = try ChildProgram(
            kymo, ["import", "--quiet", "--store", folder.store, "--", file], mergesErrors: true)
        let deadline = ContinuousClock.now + .seconds(HostileCampaign.secondsLimit)
        while !run.isAtEnd, ContinuousClock.now < deadline { _ = run.line(within: deadline - .now) }
        guard run.isAtEnd else { throw CampaignError("kymo import does not end") }
        let status = run.wait()
        _ = try ask(.open, folder.store)
        let content = try ask(.content, "").content
        judge.judge(exit: status, content, &result)
        judge.expectSound(try ask(.verify, ""), &result)
        _ = try ask(.close, "")
        judge.expectUntouched(before, folder.inventory(), &result)
        result.count("imports by kymo")
    }

    private func ask(_ verb: HostileRequest.Verb, _ path: String) throws -> HostileReply {
        try child.withLock { try ask(&$0, verb, path) }
    }

    private func ask(
        _ child: inout ChildProgram?, _ verb: HostileRequest.Verb, _ path: String
    ) throws -> HostileReply {
        let running = try child ?? ChildProgram(program, ["worker", "importer", folder.path, "0"])
        child = running
        let request = try JSONEncoder().encode(HostileRequest(verb: verb, path: path))
        running.tell(String(decoding: request, as: UTF8.self))
        let deadline = ContinuousClock.now + .seconds(HostileCampaign.secondsLimit)
        while true {
            if let line = running.line(within: deadline - .now) {
                return try JSONDecoder().decode(HostileReply.self, from: Data(line.utf8))
            }
            if running.isAtEnd { throw CampaignError("\(verb) ended the process") }
            if ContinuousClock.now >= deadline {
                throw CampaignError("\(verb) took more than \(HostileCampaign.secondsLimit) s")
            }
        }
    }
}
