// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthModel
import Kymograph
import KymographHealth
import TestSupport

/// One of the two stores of a history, with its programs and what the client knows.
///
/// The first store has all objects. The second one, the twin, never gets the hidden ones.
final class AccessWorld {
    private let simulated: SimulatedStore
    let store: HealthStore
    let owner: HKHealthStore
    let other: HKHealthStore
    let client: HKHealthStore
    let rules: AccessRules
    /// The file to attach.
    let scan: URL
    /// The first store, for a twin.
    let original: AccessWorld?

    /// The saved objects of the steps that saved any. A twin has those of hidden objects, too, as references that the
    /// client got elsewhere.
    var made: [Int: [HKSample]] = [:]
    /// The result of each call that attached a file; nil for an error.
    var attachments: [HKAttachment?] = []
    /// The anchors of the client, by the identifier of the type, and that of relationships.
    var anchors: [String: HKQueryAnchor] = [:]
    /// Whether the mode is that of a guest, in which only the owner saves.
    var isGuest = false
    private var names: [UUID: String] = [:]

    static let otherName = "com.example.other"

    /// - Parameter path: the path of the stores. It is on a simulated disk, except for the policy file.
    init(_ path: String, _ rules: AccessRules, scan: URL, original: AccessWorld? = nil) throws {
        self.rules = rules
        self.scan = scan
        self.original = original
        let folder = (path as NSString).deletingLastPathComponent
        simulated = try SimulatedStore(MemoryDisk(directories: [folder], files: [:]))
        store = try HealthStore.openOrCreate(at: path, mode: .shared, options: simulated.options)
        owner = HKHealthStore(store)
        other = HKHealthStore(store, client: Self.otherName)
        client = HKHealthStore(store, client: AccessRules.client)
        var all = AuthorizationChange(client: Self.otherName, origin: "campaign")
        for type in AccessTypes.decided + [AccessTypes.prescription] {
            all.read[type] = true
            if let sample = type as? HKSampleType { all.share[sample] = true }
        }
        try store.decide(all)
    }

    func close() { store.close() }

    func program(_ actor: AccessActor) -> HKHealthStore {
        switch actor {
        case .client: client
        case .other: isGuest ? owner : other
        case .owner: owner
        }
    }

    // MARK: - Names

    /// Names the objects of a step, whose identities differ between the stores if a builder made them.
    func note(_ samples: [HKSample], _ number: Int) {
        made[number] = samples
        for (place, sample) in samples.enumerated() { names[sample.uuid] = "object \(number).\(place)" }
    }

    /// Notes the result of a call that attached a file.
    func note(_ attachment: HKAttachment?) {
        if let attachment { names[attachment.identifier] = "attachment \(attachments.count)" }
        attachments.append(attachment)
    }

    /// Returns the name of an object. Objects without a name are parts of others.
    func name(_ uuid: UUID) -> String { names[uuid] ?? "a part" }

    /// Returns a text with names in place of identities.
    func text(_ text: String) -> String {
        guard text.utf8.count >= 36, text.utf8.contains(UInt8(ascii: "-")) else { return text }
        var (result, word) = ("", "")
        func flush() {
            result += word.utf8.count == 36 ? UUID(uuidString: word).map { name($0) } ?? word : word
            word = ""
        }
        for character in text {
            if character.isHexDigit || character == "-" {
                word.append(character)
            } else {
                flush()
                result.append(character)
            }
        }
        flush()
        return result
    }

    /// Returns the text of an error: its code and its message, without identities.
    func text(of error: any Error) -> String { text("error: \(error)") }
}
