// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import HealthSync
import Kymograph
import KymographHealth
import Synchronization
import TestSupport

/// A random history of two or three stores: operations of programs, and synchronisations that are cut, crash or fail.
struct SyncHistory {
    private let seed: UInt64
    private var random: SeededGenerator
    private let sides: [SyncSide]
    /// The identities that operations of programs added, each with the name of the operation.
    private var created: [SampleIdentity: String] = [:]
    /// The identities that operations of programs deleted or replaced.
    private var deleted: Set<SampleIdentity> = []
    /// The identities that belong to a sync identifier.
    private var versioned: Set<SampleIdentity> = []
    /// The last steps, for the text of a failure.
    private var steps: [String] = []

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        sides = try (0..<2 + random.below(2)).map { try SyncSide($0) }
    }

    /// Runs the history, and compares the stores at its end.
    ///
    /// - Throws: a `CampaignError` with the last steps.
    mutating func run(_ result: inout CampaignResult) throws {
        defer { for side in sides { side.life.close() } }
        do {
            try perform(&result)
        } catch {
            throw CampaignError("\(error); the last steps: \(steps.suffix(8).joined(separator: ", then "))")
        }
    }

    private mutating func perform(_ result: inout CampaignResult) throws {
        var scripts = sides.indices.map { HealthScript(seed: seed &* 7 &+ UInt64($0), length: 14).operations[...] }
        while scripts.contains(where: { !$0.isEmpty }) {
            let place = random.below(sides.count)
            if random.chance(0.15) {
                try perform(.save(versions()), sides[place], &result)
            } else if let operation = scripts[place].popFirst(), Self.isExchanged(operation) {
                try perform(operation, sides[place], &result)
            }
            if random.chance(1.0 / 3) {
                let one = random.below(sides.count)
                let (here, there) = (sides[one], sides[(one + 1 + random.below(sides.count - 1)) % sides.count])
                try sync(here, there, SyncEvent.random(here, there, &random), &result)
            }
            if random.chance(0.05) {
                let side = sides[random.below(sides.count)]
                steps.append("store \(side.number) is opened again")
                try side.reopen()
            }
        }
        for side in sides where side.isHurt { try side.reopen() }
        for _ in 0..<2 {
            for one in sides {
                for other in sides[(one.number + 1)...] { try sync(one, other, .nothing, &result) }
            }
        }
        try check(&result)
    }

    // MARK: - Operations

    /// Whether the results of an operation are exchanged between stores.
    private static func isExchanged(_ operation: HealthOperation) -> Bool {
        switch operation {
        case .save, .series, .heartbeats, .electrocardiogram, .workout, .extend, .delete, .deleteRange, .attach,
            .detach, .sex, .goal, .decision, .resetDecisions, .seal, .compact, .reopen:
            true
        // A program that saves an object again, which another store has deleted, gives an identity a second life.
        case .saveTwice, .relate, .unrelate, .delivery, .encrypt:
            false
        }
    }

    /// Returns samples with versions of sync identifiers that all stores use, at any time.
    private mutating func versions() -> [HKSample] {
        (0..<1 + random.below(3)).map { _ in
            let date = HealthScript.date(random.below(40_000))
            return HKQuantitySample(
                type: HealthScript.steps, quantity: HKQuantity(unit: .count(), doubleValue: Double(random.below(99))),
                start: date, end: date.addingTimeInterval(1), device: nil,
                metadata: [
                    HKMetadataKeySyncIdentifier: "s\(random.below(3))", HKMetadataKeySyncVersion: random.below(9),
                ])
        }
    }

    /// Returns an operation without saved samples that another store has deleted meanwhile: a builder would save them
    /// again, and give their identities a second life.
    private static func withoutDeleted(_ operation: HealthOperation, _ side: SyncSide) -> HealthOperation {
        func isKnown(_ sample: HKObject) -> Bool { side.known.contains(SampleIdentity(sample.uuid)) }
        switch operation {
        case .workout(var workout):
            workout.steps.removeAll { !isKnown($0) }
            workout.rates.removeAll { !isKnown($0) }
            return .workout(workout)
        case .extend(let start, let samples): return .extend(start: start, samples.filter(isKnown))
        default: return operation
        }
    }

    /// Performs an operation of a program. An object that another store deleted meanwhile is no error.
    private mutating func perform(
        _ operation: HealthOperation, _ side: SyncSide, _ result: inout CampaignResult
    ) throws {
        // A page of which the outcome was unknown may appear with the next opening.
        let wasHurt = side.isHurt
        steps.append("\(operation.name) in store \(side.number)")
        do {
            try side.life.perform(Self.withoutDeleted(operation, side))
            result.count(operation.name)
            if case .reopen = operation { side.isHurt = false }
        } catch {
            result.count(side.isHurt ? "refused after a failing disk" : "refused: \(operation.name)")
            if side.isHurt { try side.reopen() }
        }
        let (new, missing) = try side.update()
        for one in new { created[one] = "\(operation.name) in store \(side.number)" }
        deleted.formUnion(missing)
        switch operation {
        case .save(let objects):
            for one in objects where HealthScript.sync(one) != nil {
                versioned.insert(SampleIdentity(one.uuid))
                for member in (one as? HKCorrelation)?.objects ?? [] { versioned.insert(SampleIdentity(member.uuid)) }
            }
        case .series(_, _, let sync): if sync != nil { versioned.formUnion(new) }
        case .workout(let one): if one.sync != nil { versioned.formUnion(new) }
        case .seal, .compact, .reopen:
            if !wasHurt, !new.isEmpty || !missing.isEmpty {
                throw CampaignError("\(operation.name) changed the content of store \(side.number)")
            }
        default: break
        }
    }

    // MARK: - Synchronisations

    private mutating func sync(
        _ one: SyncSide, _ other: SyncSide, _ event: SyncEvent, _ result: inout CampaignResult
    ) throws {
        let initial = (try one.received(from: other), try other.received(from: one))
        let starts = (one.counts, other.counts)
        switch event {
        case .crash(let isFirst, let count, _, _): (isFirst ? one : other).disk.stop(afterMutations: count)
        case .fault(let isFirst, let fault): (isFirst ? one : other).disk.inject(fault)
        case .nothing, .cut: break
        }
        let ends = CutChannel.pair(after: event.bytes)
        steps.append("stores \(one.number) and \(other.number) are synchronised (\(event))")
        let errors = try Self.exchange(one, other, ends)
        steps.append("\(errors.count) sides failed: \(errors.map(\.message))")
        result.count(event.name)
        if errors.isEmpty { result.count("complete") }
        let wasHurt = one.isHurt || other.isHurt
        if !errors.allSatisfy({ Self.isAllowed($0.kind, event, wasHurt) }) {
            throw CampaignError("a synchronisation (\(event)) failed: \(errors)")
        }
        switch event {
        case .nothing:
            one.noteCalls(since: starts.0)
            other.noteCalls(since: starts.1)
        case .cut: break
        case .crash(let isFirst, _, let seed, let model):
            let side = isFirst ? one : other
            try side.crash(seed: seed, model)
            let (before, acknowledged) =
                isFirst ? (initial.0, ends.0.acknowledged) : (initial.1, ends.1.acknowledged)
            let now = try side.received(from: isFirst ? other : one)
            if let last = acknowledged.last, now != last, ([before] + acknowledged).contains(now) {
                throw CampaignError("store \(side.number) lost an acknowledged page in a crash (\(event))")
            }
        case .fault(let isFirst, _):
            let side = isFirst ? one : other
            side.disk.clearFaults()
            side.isHurt = true
            steps.append(
                side.isOutcomeUnknown ? "store \(side.number) has a commit of unknown outcome" : "no outcome is unknown"
            )
            if random.chance(0.5) {
                steps.append("store \(side.number) is opened again")
                try side.reopen()
            }
        }
        if wasHurt, !errors.isEmpty { for side in [one, other] where side.isHurt { try side.reopen() } }
        for side in [one, other] { try update(side, event) }
    }

    /// Whether a synchronisation may fail with an error.
    ///
    /// - Parameter wasHurt: whether a call of a store's disk failed before, so that the store may refuse to write.
    private static func isAllowed(_ error: SyncError.Kind, _ event: SyncEvent, _ wasHurt: Bool) -> Bool {
        switch (error, event) {
        case (.connection, .nothing), (.other, .nothing): wasHurt
        case (.connection, _), (.other, _): true
        case (.store, .crash), (.store, .fault): true
        case (.store, _): wasHurt
        default: false
        }
    }

    /// Reads the identities of a store after a synchronisation. A store loses only deleted and replaced objects.
    private func update(_ side: SyncSide, _ event: SyncEvent) throws {
        let changes: (new: Set<SampleIdentity>, missing: Set<SampleIdentity>)
        do {
            changes = try side.update()
        } catch {
            guard side.isHurt, !(error is CampaignError) else { throw error }
            try side.reopen()
            changes = try side.update()
        }
        if let lost = changes.missing.subtracting(deleted).subtracting(versioned).first {
            throw CampaignError("store \(side.number) lost \(text(lost)) in a synchronisation (\(event))")
        }
        if let unknown = changes.new.first(where: { created[$0] == nil }) {
            throw CampaignError("store \(side.number) has \(unknown), which no program saved (\(event))")
        }
    }

    /// Synchronises two stores over a connection. Returns the errors of both sides.
    private static func exchange(
        _ one: SyncSide, _ other: SyncSide, _ ends: (CutChannel, CutChannel)
    ) throws -> [SyncError] {
        let (here, there) = (try one.opened(), try other.opened())
        let answered = DispatchSemaphore(value: 0)
        let failure = Mutex<SyncError?>(nil)
        DispatchQueue(label: "campaign.sync").async {
            do throws(SyncError) { _ = try HealthStoreSync(there).run(over: ends.1) } catch {
                failure.withLock { $0 = error }
            }
            answered.signal()
        }
        var error: SyncError?
        do throws(SyncError) { _ = try HealthStoreSync(here).run(over: ends.0) } catch let found { error = found }
        ends.0.close()
        answered.wait()
        return [error, failure.withLock { $0 }].compactMap(\.self)
    }

    private func text(_ identity: SampleIdentity) -> String { "\(identity) of \(created[identity] ?? "nothing")" }

    // MARK: - The end

    private func check(_ result: inout CampaignResult) throws {
        let first = sides[0]
        for other in sides.dropFirst() {
            let found = try first.opened().compare(with: other.opened(), limit: 3)
            if !found.isEqual {
                let texts = found.differences.map(\.description).joined(separator: ", ")
                throw CampaignError(
                    "stores 0 and \(other.number) have \(found.differenceCount) differences: \(texts)")
            }
        }
        if let lost = Set(created.keys).subtracting(deleted).subtracting(versioned).subtracting(first.known).first {
            throw CampaignError("all stores lost \(text(lost))")
        }
        if let returned = deleted.intersection(first.known).first {
            throw CampaignError("\(text(returned)) was deleted, and is there")
        }
        try checkVersions()
        for side in sides {
            // A writer cleans up first.
            try side.life.perform(.seal)
            if let problem = try side.opened().verify().engine.problems.first {
                throw CampaignError("store \(side.number) is damaged: \(problem.message)")
            }
        }
        if seed.isMultiple(of: 16) { try checkLines(&result) }
        result.count("identities", first.known.count)
    }

    /// Each sync identifier of a type has at most one object.
    private func checkVersions() throws {
        let door = try sides[0].life.opened()
        for type in [HealthScript.steps, HealthScript.pressure, HealthScript.prescription] as [HKSampleType] {
            let versions = HKQuery.predicateForObjects(withMetadataKey: HKMetadataKeySyncIdentifier)
            let query = HKSampleQueryDescriptor(predicates: [.sample(type: type, predicate: versions)])
            let names = try HealthLife.awaited { try await query.result(for: door).map { HealthScript.sync($0)?.name } }
            if Set(names).count != names.count {
                throw CampaignError("a sync identifier of \(type.identifier) has several objects: \(names)")
            }
        }
    }

    /// Compares the answers of all queries.
    private func checkLines(_ result: inout CampaignResult) throws {
        func isExchanged(_ line: String) -> Bool {
            !["efforts of ", "delivery "].contains { line.hasPrefix($0) }
        }
        let contents = try sides.map { try $0.life.lines().filter(isExchanged).sorted() }
        for (place, content) in contents.enumerated().dropFirst() where content != contents[0] {
            let missing = contents[0].filter { !content.contains($0) }.first ?? "nothing"
            let more = content.filter { !contents[0].contains($0) }.first ?? "nothing"
            throw CampaignError("store \(place) lacks \(missing), and has \(more)")
        }
        result.count("lines", contents[0].count)
    }
}
