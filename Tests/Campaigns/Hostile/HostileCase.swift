// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// Something bad that a generator put into an import, and how it must be told.
struct Planted: Sendable {
    /// The reason of the issue.
    var reason: String
    /// Where the issue may point: bytes of the XML, or of the archive where it is about one of its files.
    var place: Range<Int>
    /// Whether the place is one of the archive.
    var isInArchive = false
}

/// What must come of a hostile import.
struct HostileExpectation: Sendable {
    enum Outcome: Sendable {
        /// The file is refused with a typed error whose text holds one of these; nothing is stored.
        case refused([String])
        /// Exactly what is good is stored.
        case kept
        /// Refused, or some of what is good is stored; where some is missing that is told.
        case either
        /// What is good is stored, and more may be.
        case more
        /// Refused, or something is stored that may differ from what is good where that is told.
        case damaged
    }

    var outcome: Outcome
    /// What is good: each line of a store's content, and how often.
    var good: [String: Int] = [:]
    /// What of it must be there even where the rest may be missing.
    var least: [String: Int] = [:]
    var planted: [Planted] = []
    /// Whether nothing but what was planted may be told.
    var isExact = false
    /// Whether the import must say that the file was there to its end; nil where that is open.
    var complete: Bool?
}

/// One hostile import.
struct HostileCase: Sendable {
    /// The kind of hostility: `zip`, `xml`, ...
    var group: String
    /// What is hostile about it.
    var name: String
    /// Puts the file into a folder of its own; its path.
    var make: @Sendable (HostileFolder) throws -> String
    var expected: HostileExpectation
    /// Whether the command line is tried on it as well, whatever the turn.
    var needsProgram = false

    /// A case that is one file of these bytes.
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

    /// An export whose good records are kept, and whose planted things are told.
    static func xml(
        _ group: String, _ name: String, _ export: HostileExport, exact: Bool = true, complete: Bool? = true
    ) -> HostileCase {
        HostileCase(
            group, name, bytes: export.finished,
            HostileExpectation(
                outcome: .kept, good: export.good, planted: export.planted, isExact: exact, complete: complete))
    }

    /// Bytes that must be refused with a text that holds one of some.
    static func refused(
        _ group: String, _ name: String, file: String = "export.xml", _ bytes: [UInt8], _ texts: String...
    ) -> HostileCase {
        HostileCase(group, name, file: file, bytes: bytes, HostileExpectation(outcome: .refused(texts)))
    }

    /// Every case of a seed, in the order of the kinds. Other seeds give other places, lengths and numbers.
    ///
    /// - Parameter isShort: without those that are large.
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
