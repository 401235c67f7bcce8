// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth

/// The result of a history in two stores.
struct AccessResult: Sendable {
    /// The description of the first difference; nil if there is none.
    var fault: String?
    var questions = 0
    /// The questions with another answer than an error.
    var answers = 0
    /// The calls of observer queries.
    var calls = 0
}

/// Runs a history in two stores: one with all objects, and one without the hidden ones. The client must get the same
/// answers.
struct AccessTwins {
    /// The folder for the file to attach and for policy files.
    let folder: URL

    init(in work: String) throws {
        folder = URL(fileURLWithPath: work).appendingPathComponent("access-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(repeating: 7, count: 50).write(to: scan)
    }

    private var scan: URL { folder.appendingPathComponent("scan.png") }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Compares the two stores after each step of a history.
    func compare(_ seed: UInt64) async throws -> AccessResult {
        var result = AccessResult()
        let script = AccessScript(seed: seed)
        let (world, twin) = try worlds(seed, script.rules)
        defer { close(world, twin) }
        for (number, (step, questions)) in script.steps.enumerated() {
            let note = "\(script.rules.kind), step \(number) \(Self.name(step))"
            let (with, without) = (try await world.perform(step), try await twin.perform(step))
            if with != without {
                result.fault = "\(note): \(Self.difference(with, without))"
                return result
            }
            for question in questions {
                let (with, without) = (await world.answer(question), await twin.answer(question))
                result.questions += 1
                if with.contains(where: { !$0.hasPrefix("error") }) { result.answers += 1 }
                if with != without {
                    result.fault = "\(note), then \(question): \(Self.difference(with, without))"
                    return result
                }
            }
        }
        return result
    }

    /// Opens the two stores of a history.
    func worlds(_ seed: UInt64, _ rules: AccessRules) throws -> (world: AccessWorld, twin: AccessWorld) {
        let place = folder.appendingPathComponent("\(seed)").path
        let world = try AccessWorld(place, rules, scan: scan)
        do {
            return (world, try AccessWorld(place, rules, scan: scan, original: world))
        } catch {
            world.close()
            throw error
        }
    }

    func close(_ world: AccessWorld, _ twin: AccessWorld) {
        twin.close()
        world.close()
        try? FileManager.default.removeItem(atPath: world.store.path)
    }

    private static func name(_ step: AccessStep) -> String {
        switch step {
        case .save(let number, let object, let actor, let isHidden):
            "save \(number) \("\(object)".prefix(40)) by \(actor), hidden: \(isHidden)"
        default: "\(step)"
        }
    }

    private static func difference(_ with: [String], _ without: [String]) -> String {
        let extra = with.filter { !without.contains($0) }.prefix(2)
        let missing = without.filter { !with.contains($0) }.prefix(2)
        return "\(with.count) lines with hidden objects, \(without.count) without; only with \(extra), "
            + "only without \(missing)"
    }
}
