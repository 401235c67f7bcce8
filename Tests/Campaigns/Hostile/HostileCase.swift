// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// A fault that a generator put into an import, and the issue it must cause.
struct Planted: Sendable {
    /// The reason of the issue.
    var reason: String
    /// The offsets at which the issue may point, in the XML or in the archive.
    var place: Range<Int>
    /// True if the offsets are in the archive.
    var isInArchive = false
}

/// The expected result of a hostile import.
struct HostileExpectation: Sendable {
    enum Outcome: Sendable {
        /// The file is refused with a typed error whose text has one of these parts; nothing is stored.
        case refused([String])
        /// Exactly the good content is stored.
        case kept
        /// The file is refused, or some of the good content is stored and the missing content reported.
        case either
        /// The good content is stored, perhaps with more.
        case more
        /// The file is refused, or the stored content may differ from the good content if that is reported.
        case damaged
    }

    var outcome: Outcome
    /// The good content: each line of a store's content, and its count.
    var good: [String: Int] = [:]
    /// The part of the good content that must be stored in any case.
    var least: [String: Int] = [:]
    var planted: [Planted] = []
    /// True if only the planted faults may be reported.
    var isExact = false
    /// Whether the import must report the file as complete; nil for either.
    var complete: Bool?
}

/// One hostile import.
struct HostileCase: Sendable {
    /// The kind of hostility: `zip`, `xml`, ...
    var group: String
    /// A description of the hostile property.
    var name: String
    /// Writes the file into a folder. Returns its path.
    var make: @Sendable (HostileFolder) throws -> String
    var expected: HostileExpectation
    /// True if the command line is always tried too.
    var needsProgram = false

    /// Creates a case of one file with these bytes.
    init(
        _ group: String, _ name: String, file: String = "export.xml", bytes: [UInt8], _ expected: HostileExpectation
    ) {
        self.init(group, name, expected) { folder in try folder.write(bytes, to: file) }
    }

    init(
        _ group: String, _ name: String, _ expected: HostileExpectation,
        make: @escaping @Sendable (HostileFolder) throws -> String
    ) {
        self.group = group
        self.name = name
        self.expected = expected
        self.make = make
    }

    /// Returns a case whose good records must be stored and whose planted faults must be reported.
    static func xml(
        _ group: String, _ name: String, _ export: HostileExport, exact: Bool = true, complete: Bool? = true
    ) -> HostileCase {
        HostileCase(
            group, name, bytes: export.finished,
            HostileExpectation(
                outcome: .kept, good: export.good, planted: export.planted, isExact: exact, complete: complete))
    }

    /// Returns a case of bytes that must be refused with a text that has one of some parts.
    static func refused(
        _ group: String, _ name: String, file: String = "export.xml", _ bytes: [UInt8], _ texts: String...
    ) -> HostileCase {
        HostileCase(group, name, file: file, bytes: bytes, HostileExpectation(outcome: .refused(texts)))
    }

    /// Returns every case of a seed, in the order of the kinds. Other seeds give other positions, lengths and numbers.
    ///
    /// - Parameter isShort: true to omit large cases.
    static func all(seed: UInt64, isShort: Bool) -> [HostileCase] {
        let large: [(inout SeededGenerator) -> [HostileCase]] = [
            deflateCases, bombCases, encodingCases, prologCases, structureCases, floodCases, nestingCases,
        ]
        let small: [(inout SeededGenerator) -> [HostileCase]] = [
            zipDirectoryCases, zipContentCases, zipNameCases, zipCutCases, entityCases, cutCases, dateCases, valueCases,
            textCases, fileKindCases, pathCases, electrocardiogramCases,
        ]
        return (small + (isShort ? [] : large)).enumerated().flatMap { index, kind in
            var random = SeededGenerator(seed: seed &* 0x1_0001 &+ UInt64(index))
            return kind(&random)
        }
    }
}
