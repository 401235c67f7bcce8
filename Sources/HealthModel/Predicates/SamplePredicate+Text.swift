// SPDX-License-Identifier: Apache-2.0

import Foundation

// The text of a predicate for logs: `(startDate in 2024-01-01 … and HKWasUserEntered != true)`. It is not parsed.
extension SamplePredicate: CustomStringConvertible {
    package var description: String {
        switch self {
        case .always(let all): all ? "everything" : "nothing"
        case .and(let parts): parts.isEmpty ? "everything" : "(\(Self.joined(parts, " and ")))"
        case .or(let parts): parts.isEmpty ? "nothing" : "(\(Self.joined(parts, " or ")))"
        case .not(let part): "not \(part)"
        case .time(let start, let end, let options):
            "\(options.words) \(DateText.text(start)) ..< \(DateText.text(end))"
        case .uuids(let uuids): "UUID in \(Self.list(uuids))"
        case .sources(let sources): "source in \(Self.list(sources))"
        case .revisions(let revisions): "sourceRevision in \(Self.list(revisions))"
        case .devices(let devices): "device in \(Self.list(devices))"
        case .device(let property, let texts): "device.\(property.rawValue) in \(Self.list(texts))"
        case .hasMetadata(let key): "metadata.\(key) exists"
        case .metadataIn(let key, let values): "metadata.\(key) in \(Self.list(values))"
        case .metadata(let key, let comparison, let value): "metadata.\(key) \(comparison.sign) \(value)"
        case .quantity(let comparison, let quantity): "quantity \(comparison.sign) \(quantity)"
        case .category(let comparison, let value): "value \(comparison.sign) \(value)"
        case .categoryIn(let values): "value in \(Self.list(values))"
        case .withoutCorrelation: "in no correlation"
        case .classification(let value): "classification = \(value)"
        case .symptoms(let value): "symptomsStatus = \(value)"
        case .field(let condition): condition.text
        case .medication(let condition): condition.text
        case .workout(let condition): condition.text
        case .activity(let condition): "activity: \(condition.text)"
        case .someActivity(let part): "some activity (\(part))"
        case .members(let workout): "in workout \(workout)"
        case .effort(let workout, let activity):
            "effort of workout \(workout)" + (activity.map { ", activity \($0)" } ?? "")
        case .identities(let runs): "one of \(runs.count) identities"
        case .days(let days): "day in \(days.first) ... \(days.last)"
        case .refused(let error): "nothing (\(error.reason))"
        }
    }

    private static func joined(_ parts: [SamplePredicate], _ word: String) -> String {
        parts.map(\.description).joined(separator: word)
    }

    private static func list(_ values: some Sequence) -> String {
        "{\(values.map { "\($0)" }.sorted().joined(separator: ", "))}"
    }
}

extension HealthMetadataValue: CustomStringConvertible {
    package var description: String {
        switch self {
        case .string(let text): "'\(text)'"
        case .boolean(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        case .real(let number): "\(number)"
        case .date(let date): DateText.text(date)
        case .quantity(let quantity): "\(quantity)"
        case .data(let data): "\(data.count) bytes"
        case .unsupported(let type): "a \(type)"
        }
    }
}

extension HealthComparison {
    var sign: String {
        switch self {
        case .beginsWith: "begins with"
        case .endsWith: "ends with"
        case .contains: "contains"
        default: ["<", "<=", ">", ">=", "=", "!="][Int(rawValue)]
        }
    }
}

extension HKQueryOptions {
    var words: String {
        switch (contains(.strictStartDate), contains(.strictEndDate)) {
        case (false, false): "overlaps"
        case (true, false): "startDate in"
        case (false, true): "endDate in"
        case (true, true): "startDate and endDate in"
        }
    }
}
