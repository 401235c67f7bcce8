// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import HealthModel
import KymographHealth

/// A program, and the types to read and to save.
struct AccessOptions: ParsableArguments {
    @Argument(help: "The bundle identifier of the program, or the name of its process.")
    var client: String

    @Option(help: ArgumentHelp("Types to read, with commas, or all.", valueName: "types"))
    var read: String?

    @Option(help: ArgumentHelp("Types to save, with commas, or all.", valueName: "types"))
    var share: String?

    @Option(
        help: ArgumentHelp("A prescription, medication or document; may be repeated.", valueName: "uuid"),
        completion: Completions.identities)
    var object: [String] = []

    func validate() throws {
        if client.isEmpty { throw ValidationError("The program has no name.") }
        if read == nil, share == nil, object.isEmpty { throw ValidationError("Give --read, --share or --object.") }
        for text in object where UUID(uuidString: text) == nil {
            throw ValidationError(
                "\"\(text)\" is not a UUID; \"kymo query visionPrescription\" and \"kymo medications\" list them.")
        }
    }

    /// Returns the changes for the types and for each type of the objects.
    func changes(_ isAllowed: Bool, _ store: HealthStore) throws -> [AuthorizationChange] {
        var all: [AuthorizationChange] = read == nil && share == nil ? [] : [try change(isAllowed)]
        let medications = try object.isEmpty ? [] : Set(store.listedMedications().map(\.identity))
        var objects: [HKObjectType: [UUID: Bool]] = [:]
        for uuid in object.compactMap({ UUID(uuidString: $0) }) {
            let isMedication = medications.contains(uuid)
            let found = try isMedication ? nil : store.object(uuid, parts: 0)?.sample.sampleType
            guard let type = isMedication ? HKObjectType.userAnnotatedMedicationType() : found else {
                throw Failure(.failed, "no object \(uuid); \"kymo query visionPrescription\" lists prescriptions")
            }
            guard type.requiresPerObjectAuthorization() || type is HKDocumentType else {
                throw Failure.usage("\(type.plainName) is not allowed object by object; use --read")
            }
            objects[type, default: [:]][uuid] = isAllowed
        }
        for (type, answers) in objects.sorted(by: { $0.key.identifier < $1.key.identifier }) {
            var change = AuthorizationChange(client: client, origin: "kymo")
            (change.objectType, change.objects) = (type, answers)
            all.append(change)
        }
        return all
    }

    /// Returns the change that allows or denies the types.
    private func change(_ isAllowed: Bool) throws -> AuthorizationChange {
        var change = AuthorizationChange(client: client, origin: "kymo")
        for type in try types(read, AuthorizationRules.mayRead, "read") { change.read[type] = isAllowed }
        for type in try types(share, AuthorizationRules.maySave, "saved") { change.share[type] = isAllowed }
        return change
    }

    private func types(
        _ names: String?, _ isPossible: (HKObjectType) -> Bool, _ verb: String
    ) throws -> [HKObjectType] {
        guard let names else { return [] }
        if names == "all" { return HKObjectType.allKnown.filter(isPossible) }
        return try names.split(separator: ",").flatMap { part throws -> [HKObjectType] in
            let name = part.trimmingCharacters(in: .whitespaces)
            let type = try Self.type(name)
            if isPossible(type) { return [type] }
            if let members = AuthorizationRules.members(of: type.identifier) { return members }
            throw Failure.usage("\(name) cannot be \(verb) by a program that asks for a type")
        }
    }

    /// Returns the type of a word, such as steps, or of HealthKit's identifier.
    static func type(_ name: String) throws -> HKObjectType {
        if let type = HealthTypes.find(TypeAlias.expanded(name)) { return HKObjectType.type(for: type.identifier) }
        let wanted = name.lowercased()
        let found = HKObjectType.allKnown.first {
            $0.identifier == name || $0.plainName.lowercased() == wanted
                || $0.plainName.lowercased() == wanted + "typeidentifier"
        }
        if let found { return found }
        throw Failure.usage("no type \"\(name)\"; use a word such as steps, or HealthKit's identifier")
    }
}
