// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth

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

    /// Returns a description of the first difference of a history; nil if there is none.
    func fault(_ seed: UInt64) async throws -> String? {
        let script = AccessScript(seed: seed)
        let place = folder.appendingPathComponent("\(seed)").path
        defer { try? FileManager.default.removeItem(atPath: place) }
        let world = try AccessWorld(place, script.rules, scan: scan)
        defer { world.close() }
        let twin = try AccessWorld(place, script.rules, scan: scan, original: world)
        defer { twin.close() }
        for (number, (step, questions)) in script.steps.enumerated() {
            let note = "\(script.rules.kind), step \(number) \(Self.name(step))"
            let (with, without) = (try await world.perform(step), try await twin.perform(step))
            if with != without { return "\(note): \(Self.difference(with, without))" }
            for question in questions {
                let (with, without) = (await world.answer(question), await twin.answer(question))
                if with != without { return "\(note), then \(question): \(Self.difference(with, without))" }
            }
        }
        return nil
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
