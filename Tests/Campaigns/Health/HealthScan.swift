// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth
import TestSupport
import UniformTypeIdentifiers

/// A file that a script attaches to a prescription.
struct HealthScan: Sendable, Hashable {
    let prescription: UUID
    let seed: UInt64
    let bytes: Int

    /// Creates a random file of up to some units.
    init(of prescription: HKVisionPrescription, _ random: inout SeededGenerator) {
        self.prescription = prescription.uuid
        seed = random.next()
        bytes = random.pick([0, 100, 65_536, 70_000, 200_000])
    }

    /// The bytes of the file.
    private var content: Data {
        var generator = SeededGenerator(seed: seed)
        var all = [UInt8]()
        all.reserveCapacity(bytes + 8)
        while all.count < bytes {
            let word = generator.next()
            for shift in 0..<UInt64(8) { all.append(UInt8(truncatingIfNeeded: word >> (8 * shift))) }
        }
        return Data(all.prefix(bytes))
    }

    /// The length and a digest of the bytes.
    var text: String { Self.text(content) }

    private static func text(_ data: Data) -> String {
        let digest = data.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        return "\(data.count) \(digest)"
    }

    /// Attaches the file.
    func perform(_ door: HKHealthStore, _ prescription: HKVisionPrescription) async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).png")
        try content.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        _ = try await HKAttachmentStore(healthStore: door).addAttachment(
            to: prescription, name: "scan", contentType: .png, url: url)
    }

    /// Removes the first attachment of a prescription.
    static func removeFirst(_ door: HKHealthStore, _ prescription: HKVisionPrescription) async throws {
        let store = HKAttachmentStore(healthStore: door)
        guard let first = try await store.attachments(for: prescription).first else { return }
        try await store.removeAttachment(first, from: prescription)
    }

    /// Returns the line of a prescription's attachments; nil if it has none.
    static func line(of prescription: HKSample, _ door: HKHealthStore) async throws -> String? {
        let store = HKAttachmentStore(healthStore: door)
        var texts: [String] = []
        for one in try await store.attachments(for: prescription) {
            texts.append(text(try await store.dataReader(for: one).data))
        }
        return line(prescription.uuid, texts)
    }

    static func line(_ prescription: UUID, _ texts: [String]) -> String? {
        texts.isEmpty ? nil : "scans of \(prescription): \(texts.joined(separator: ", "))"
    }
}
