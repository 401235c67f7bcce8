// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import KymographHealth

extension VerifyCommand {
    /// The names of the two stores.
    struct Names {
        var first: String
        var second: String
    }

    /// Compares the store with another one.
    func compare(with other: String, _ output: Output, _ zone: CivilZone) throws -> ExitStatus {
        if withoutKey || keys != nil {
            throw Failure.usage("--against reads both stores; --without-key and --keys are for one store")
        }
        if let limit, limit < 0 { throw Failure.usage("--limit is below 0") }
        let path = try store.resolved(or: place)
        let first = try Self.open(path, nil)
        defer { first.close() }
        let second = try Self.open(other, otherKeyFile.map { KeyFile($0) })
        defer { second.close() }
        let found = try first.compare(with: second, limit: limit ?? 20)
        if json {
            try Self.write(found, output, zone)
        } else {
            try Self.say(found, Names(first: first.path, second: second.path), output, zone)
        }
        return found.isEqual ? .done : .failed
    }

    /// - Parameter key: the key of the other store; nil for the key that the user gave for both.
    private static func open(_ path: String, _ key: KeyFile?) throws -> HealthStore {
        var options = Stores.options()
        if let key { options.key = key }
        // One of the stores may be plain.
        options.isKeyOptional = true
        return try HealthStore.open(at: path, mode: .readOnly, options: options)
    }

    private static func write(_ found: HealthStoreComparison, _ output: Output, _ zone: CivilZone) throws {
        var json = JSONWriter(lines: 1)
        json.beginObject()
        json.field("equal", found.isEqual)
        json.field("samples", found.samples)
        json.field("objects", found.objects)
        json.field("elements", found.elements)
        json.field("documents", found.documents)
        json.field("attachments", found.attachments)
        json.field("settings", found.settings)
        json.field("differenceCount", found.differenceCount)
        json.key("differences")
        json.beginArray()
        for one in found.differences {
            json.beginObject()
            json.field("type", one.type)
            json.field("name", one.name)
            json.field("start", one.start, zone)
            json.field("in", "\(one.presence)")
            json.field("details", one.details)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        json.endLine()
        try output.write(json.take())
    }

    private static func say(
        _ found: HealthStoreComparison, _ names: Names, _ output: Output, _ zone: CivilZone
    ) throws {
        let compared = [
            NumberText.count(found.samples, "sample"), NumberText.count(found.objects, "object"),
            NumberText.count(found.elements, "element"), NumberText.count(found.documents, "document"),
            found.attachments > 0 ? NumberText.count(found.attachments, "attachment") : nil,
            NumberText.count(found.settings, "setting"),
        ].compactMap(\.self).joined(separator: ", ")
        if found.isEqual { return try output.line(output.style.green("equal") + ": " + compared) }
        try output.line(
            output.style.red("different") + ": \(NumberText.count(found.differenceCount, "difference")) in " + compared)
        for one in found.differences { try output.line("  " + text(one, names, zone)) }
        let left = found.differenceCount - found.differences.count
        if left > 0 { try output.line("  and \(NumberText.count(left, "more difference")); --limit lists more") }
        try output.finish()
        Messages.write("the stores differ; \"kymo sync\" exchanges what one of them lacks")
    }

    private static func text(_ one: HealthStoreComparison.Difference, _ names: Names, _ zone: CivilZone) -> String {
        let listed = ListedType.allCases.first { $0.identifier == one.type }?.rawValue
        let type = listed ?? (one.type.hasPrefix("HK") ? HealthTypes.type(for: one.type).shortName : one.type)
        var subject = [type, one.name].compactMap(\.self).joined(separator: " ")
        if let start = one.start { subject += " at " + Civil.format(start, zone: zone) }
        let place =
            switch one.presence {
            case .first: "only in \(names.first)"
            case .second: "only in \(names.second)"
            case .both: "different"
            }
        return TerminalText.printable(subject + ": " + ([place] + one.details).joined(separator: "; "))
    }
}
