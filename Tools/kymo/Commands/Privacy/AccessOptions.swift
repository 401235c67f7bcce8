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

    func validate() throws {
        if client.isEmpty { throw ValidationError("The program has no name.") }
        if read == nil, share == nil { throw ValidationError("Give --read or --share.") }
    }

    /// Returns the change that allows or denies the types.
    func change(_ isAllowed: Bool) throws -> AuthorizationChange {
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

    private static func type(_ name: String) throws -> HKObjectType {
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
