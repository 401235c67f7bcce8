// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import UniformTypeIdentifiers

@testable import HealthModel
@testable import KymographHealth

/// Returns a prescription of glasses without values.
func glasses(_ days: Double = 0, _ metadata: [String: Any]? = nil) -> HKGlassesPrescription {
    HKGlassesPrescription(
        rightEyeSpecification: nil, leftEyeSpecification: nil, dateIssued: clock.addingTimeInterval(86_400 * days),
        expirationDate: nil, device: nil, metadata: metadata)
}

/// Returns bytes without a short period.
func noise(_ count: Int, _ seed: UInt64 = 1) -> Data {
    var generator = SeededGenerator(seed: seed)
    var bytes = [UInt8]()
    bytes.reserveCapacity(count + 8)
    while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
    return Data(bytes.prefix(count))
}

extension TemporaryDirectory {
    /// Writes a file and returns its URL.
    func write(_ data: Data, _ name: String = "source") throws -> URL {
        let url = URL(fileURLWithPath: file(name))
        try data.write(to: url)
        return url
    }

    /// The paths of the attached files of the store `store`.
    func attachedFiles() throws -> [String] {
        let folder = file("store") + "/attachments"
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { folder + "/" + $0 }
    }
}

/// A store with a prescription and its attachments, and files to attach.
struct AttachmentDoor {
    let door: TestDoor
    let attachments: HKAttachmentStore
    let prescription: HKGlassesPrescription

    var directory: TemporaryDirectory { door.directory }

    init() async throws {
        door = try TestDoor()
        attachments = HKAttachmentStore(healthStore: door.health)
        prescription = glasses()
        try await door.health.save(prescription)
    }

    func add(_ data: Data, _ name: String = "scan.pdf") async throws -> HKAttachment {
        try await attachments.addAttachment(
            to: prescription, name: name, contentType: .pdf, url: directory.write(data))
    }

    /// The bytes of an attachment by the iterator.
    func bytes(_ attachment: HKAttachment) async throws -> Data {
        var found = Data()
        for try await byte in attachments.dataReader(for: attachment).bytes { found.append(byte) }
        return found
    }
}
