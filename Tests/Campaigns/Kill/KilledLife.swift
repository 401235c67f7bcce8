// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph
import TestSupport

/// One store, the process that writes it and is stopped repeatedly, its readers, and the judge of all.
final class KilledLife {
    private let path: String
    private let seed: UInt64
    private let program: String
    private let script: KillScript
    private var random: SeededGenerator
    private var judge: KillJudge
    private var readers: [ChildProgram?]
    /// Other programs that open the catalog.
    private var outsiders: [ChildProgram?]
    private var outsider: Outsider
    /// The durations of openings after a kill, in nanoseconds.
    private(set) var openings: [Int64] = []
    private var kills = 0
    /// The number of reading threads in the writer's process. Their numbers follow those of the processes.
    private let threads: Int
    /// The last reported action of the writer.
    private var phase = "starting"

    /// The data to repeat a failure.
    var note: String { "store of seed \(seed), after kill \(kills) (\(phase))" }

    init(_ path: String, seed: UInt64, program: String, readers: Int, threads: Int = 0, outsiders: Int = 0) {
        self.path = path
        self.seed = seed
        self.program = program
        script = KillScript(seed: seed)
        random = SeededGenerator(seed: seed ^ 0xDEAD)
        judge = KillJudge(script)
        self.readers = Array(repeating: nil, count: readers)
        self.outsiders = Array(repeating: nil, count: outsiders)
        outsider = Outsider(path, seed: seed ^ 0x0707)
        self.threads = threads
    }

    /// Kills the writer this many times with SIGKILL, and checks the store at the end.
    func run(kills: Int, _ clock: CampaignClock, _ result: inout CampaignResult) throws {
        while self.kills < kills, !clock.isOver {
            disturbOutsiders(&result)
            try writeAndStop(&result) { writer in
                writer.kill()
                return .max
            }
            visit(&result)
            disturbReaders(&result)
        }
        stopReaders(&result)
        stopOutsiders(&result)
        try lookThrough(&result)
    }

    /// Runs the writer until readers have reported this many snapshots, stops it, and checks the store.
    func runBeside(sights: Int, _ clock: CampaignClock, _ result: inout CampaignResult) throws {
        phase = "starting"
        let writer = try startWriter()
        let before = judge.sightCount
        while judge.sightCount - before < sights, !clock.isOver, !writer.isAtEnd {
            disturbReaders(&result)
            try wait(writer, until: now() + 200_000_000, &result) { false }
        }
        if writer.isAtEnd { result.fail("\(note): the writer ended unexpectedly") }
        writer.kill()
        for line in writer.rest() { try hear(writer, line, &result) }
        judge.writerStopped()
        kills += 1
        stopReaders(&result)
        result.cases += judge.sightCount - before
        try lookThrough(&result)
    }

    private func startWriter() throws -> ChildProgram {
        for i in 0..<threads { judge.readerStarted(readers.count + i) }
        let role = threads > 0 ? "writer+\(threads)" : outsiders.isEmpty ? "writer" : "writer-visited"
        return try ChildProgram(program, ["worker", role, path, "\(seed)"])
    }

    /// Runs the writer for a random time and stops it.
    /// - Parameters:
    ///   - byPowerCut: true if the disk fails before the writer ends, so that the writer may report errors.
    ///   - stop: removes the writer's disk or kills the writer. Returns the time at which it began.
    func writeAndStop(
        _ result: inout CampaignResult, byPowerCut: Bool = false, _ stop: (ChildProgram) throws -> Int64
    ) throws {
        phase = "starting"
        let writer = try startWriter()
        // Before a store exists mostly during the creation; later one time in four during the opening.
        let isEarly = random.chance(judge.exists ? 0.25 : 0.7)
        let isAnywhere = random.chance(0.2)
        if !isAnywhere {
            try wait(writer, until: now() + 60_000_000_000, &result) {
                isEarly ? self.phase != "starting" : self.judge.isJudged
            }
            if !isEarly, !judge.isJudged { result.fail("\(note): the writer does not start to work") }
        }
        let wait = random.number(in: 0...(isEarly ? 20_000_000 : 50_000_000))
        try self.wait(writer, until: now() + wait, &result) { false }
        let stopped = try stop(writer)
        for line in writer.rest() {
            if byPowerCut, let time = Self.time(of: line), time >= stopped {
                recordUncertain(line, &result)
            } else if byPowerCut, line.hasPrefix("error") {
                // The failing disk caused this error before the writer was killed.
                result.count("writers that met the dead disk")
            } else {
                try hear(writer, line, &result)
            }
        }
        judge.writerStopped()
        kills += 1
        result.cases += 1
        result.count("stopped while \(phase)")
    }

    /// Returns the time in a line, if the line acknowledges an operation or reports found content.
    private static func time(of line: Substring) -> Int64? {
        let words = line.split(separator: " ")
        return words.count > 1 && (words[0] == "done" || words[0] == "found") ? Int64(words[1]) : nil
    }

    /// Handles lines written after the shutdown of the file system began: a sync that is running then may succeed
    /// although its bytes are lost, for any program (Docs/Internals/Testing.md). Its operation counts as not
    /// acknowledged.
    private func recordUncertain(_ line: Substring, _ result: inout CampaignResult) {
        let words = line.split(separator: " ")
        guard words[0] == "done", words.count == 4, let k = Int(words[2]), let seq = Int64(words[3]) else { return }
        judge.mayBeDone(k, seq)
        result.count("said to be done while the power was cut")
    }

    /// Returns a random Boolean that follows from the seed.
    func flip() -> Bool { random.chance(0.5) }

    private func now() -> Int64 { SystemClock.monotonicNanoseconds() }

    /// Reads the output of all children until a time, or until a condition holds.
    private func wait(
        _ writer: ChildProgram, until end: Int64, _ result: inout CampaignResult, _ isDone: () -> Bool
    ) throws {
        while !isDone() {
            let left = end - now()
            if left <= 0 { return }
            for child in ChildProgram.wait(for: [writer] + (readers + outsiders).compactMap { $0 }, nanoseconds: left) {
                for line in child.lines() { try hear(child, line, &result) }
            }
            if writer.isAtEnd { return }
        }
    }

    private func hear(_ child: ChildProgram, _ line: Substring, _ result: inout CampaignResult) throws {
        if let reader = readers.firstIndex(where: { $0 === child }) {
            judge.read(reader, line, note, &result)
            return
        }
        let words = line.split(separator: " ")
        switch words.first {
        case "visited":
            result.count("statements of other programs beside the writer", words.count > 1 ? Int(words[1]) ?? 0 : 0)
        case "opening": phase = judge.exists ? "opening" : "creating"
        case "found":
            guard words.count == 7, let time = Int64(words[1]), let seq = Int64(words[3]),
                let sum = ContentSum(words[4...])
            else { return }
            phase = "between operations"
            if kills > 0, let duration = Int64(words[2]) { openings.append(duration) }
            child.tell("\(try judge.found(time, seq, sum, &result))")
        case "thread":
            guard words.count > 3, let thread = Int(words[1]), thread < threads else {
                return result.fail("\(note): unexpected line of the writer: \(line)")
            }
            judge.read(readers.count + thread, line[words[2].startIndex...], note, &result)
        case "repeated": result.count("calls repeated that were done")
        case "begin": if words.count > 2 { phase = "in \(words[2...].joined(separator: " "))" }
        case "done":
            guard words.count == 4, let time = Int64(words[1]), let k = Int(words[2]), let seq = Int64(words[3])
            else { return }
            phase = "between operations"
            judge.done(time, k, seq)
            result.count("operations acknowledged")
        default: result.fail("\(note): unexpected line of the writer: \(line)")
        }
    }
}

extension KilledLife {
    /// Starts missing readers, and kills one at random.
    private func disturbReaders(_ result: inout CampaignResult) {
        for i in readers.indices {
            if random.chance(0.1), let reader = readers[i] {
                end(reader, i, &result)
                result.count("readers killed")
            }
            if readers[i] == nil {
                readers[i] = try? ChildProgram(program, ["worker", "reader", path, "\(random.next())"])
                judge.readerStarted(i)
            }
        }
    }

    /// Starts missing programs, and kills one at random.
    private func disturbOutsiders(_ result: inout CampaignResult) {
        for i in outsiders.indices {
            if random.chance(0.3), let other = outsiders[i] {
                stop(other, &result)
                outsiders[i] = nil
                result.count("other programs killed")
            }
            if outsiders[i] == nil, random.chance(0.7) {
                outsiders[i] = try? ChildProgram(program, ["worker", "outsider", path, "\(random.next())"])
            }
        }
    }

    /// Lets another program open the catalog first after a kill.
    private func visit(_ result: inout CampaignResult) {
        guard !outsiders.isEmpty, random.chance(0.7) else { return }
        do {
            result.count("statements of other programs after a kill", try outsider.visit() ?? 0)
        } catch {
            result.fail("\(note): another program: \(error)")
        }
    }

    private func stop(_ other: ChildProgram, _ result: inout CampaignResult) {
        other.kill()
        for line in other.rest() where !line.hasPrefix("visited") {
            result.fail("\(note): unexpected line of another program: \(line)")
        }
    }

    private func stopOutsiders(_ result: inout CampaignResult) {
        for i in outsiders.indices {
            if let other = outsiders[i] { stop(other, &result) }
            outsiders[i] = nil
        }
    }

    private func end(_ reader: ChildProgram, _ index: Int, _ result: inout CampaignResult) {
        reader.kill()
        for line in reader.rest() { judge.read(index, line, note, &result) }
        readers[index] = nil
    }

    private func stopReaders(_ result: inout CampaignResult) {
        for i in readers.indices { if let reader = readers[i] { end(reader, i, &result) } }
    }

    /// Compares every sample with the model, and the readers' reports with the possible states.
    func lookThrough(_ result: inout CampaignResult) throws {
        let store = try TimeSeriesStore.openOrCreate(at: path, options: CampaignWorker.options())
        defer { store.close() }
        let snapshot = store.snapshot()
        let next = try judge.found(now(), snapshot.sequence, try ContentSum(snapshot), &result)
        var model = StoreModel()
        for k in 0..<next { model.apply(script.operation(k)) }
        if try SimulatedStore.digest(of: store) != model.digest {
            result.fail("\(note): the store's samples differ from the acknowledged ones")
        }
        let problems = try store.verify().problems
        if let first = problems.first { result.fail("\(note): verify reports \(first.path): \(first.message)") }
        judge.judgeReaders(note, &result)
        result.count("stores looked through")
        result.count("samples compared", model.samples.values.reduce(0) { $0 + $1.count })
    }
}
