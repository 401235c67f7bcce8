// SPDX-License-Identifier: Apache-2.0

import FileSystem
public import KymographHealth

/// The contents and format of an export to write.
public struct ExportRequest: Sendable {
    /// The types of records and correlations, by identifier; nil for everything.
    public var types: Set<String>?
    /// The range of starts; `.all` includes items without a time.
    public var range: TimeRange
    /// The range of activity summaries, by the midnight in UTC of their dates, which have no time of day. Nil for
    /// `range`.
    public var summaries: TimeRange?
    /// The offset of all dates from UTC, in seconds: whole minutes, at most 18 hours; nil for the offset of the last
    /// import, or 0.
    public var offset: Int?
    /// The date of the export, in nanoseconds since 1970-01-01 UTC; nil for now.
    public var date: Int64?

    /// Creates a request; by default for everything.
    public init(
        types: Set<String>? = nil, range: TimeRange = .all, summaries: TimeRange? = nil, offset: Int? = nil,
        date: Int64? = nil
    ) {
        self.types = types
        self.range = range
        self.summaries = summaries
        self.offset = offset
        self.date = date
    }
}

/// The numbers of written items.
public struct ExportCounts: Sendable, Hashable {
    /// Records outside of correlations.
    public var records: Int
    /// Correlations.
    public var correlations: Int
    /// Workouts, activity summaries and all other imported elements.
    public var elements: Int

    /// Creates counts; by default 0.
    public init(records: Int = 0, correlations: Int = 0, elements: Int = 0) {
        self.records = records
        self.correlations = correlations
        self.elements = elements
    }
}

/// A writer of a store's contents as Apple's XML.
public enum AppleHealthExporter {
    /// The approximate number of bytes per call of the sink.
    private static let chunk = 1 << 16

    /// Writes an export: the document type, characteristics, records by type and start, correlations, and all imported
    /// elements.
    ///
    /// Texts of imports are unchanged (values, units, sources, metadata), except for the memory address of devices; all
    /// dates have one offset. Samples saved by programs are written so that an import yields equal samples:
    /// `Docs/Guide/Import.md`. The export is of one commit.
    /// - Parameter sink: receives the next bytes, and returns whether to continue.
    /// - Throws: `HealthStoreError`, `invalidArgument` for an invalid offset, and the errors of `sink`.
    /// - Complexity: linear in the store; memory of some blocks, 8 bytes per element and, if correlations are
    ///   requested, some 40 bytes per correlation and member.
    public static func write(
        _ store: HealthStore, _ request: ExportRequest = ExportRequest(), to sink: ([UInt8]) throws -> Bool
    ) throws -> ExportCounts {
        if let offset = request.offset, !(-64_800...64_800).contains(offset) || offset % 60 != 0 {
            throw HealthStoreError(
                .invalidArgument,
                "an offset of \(offset) s cannot be written; use whole minutes within 18 hours of UTC")
        }
        let export = try HealthExport(store)
        let about = ExportAbout(try store.imports())
        let now = request.date ?? SystemClock.wallNanoseconds()
        let offset = Int32(truncatingIfNeeded: request.offset ?? about.offset ?? 0)
        var run = Run(text: ExportText(offset: offset))
        run.head(about, AppleDate(nanoseconds: now, offset: offset), export.characteristics)
        for type in export.types where request.types?.contains(type.identifier) ?? true {
            if !run.isOpen { break }
            try export.records(type, range: request.range) { sample in
                run.text.record(sample)
                run.counts.records += 1
                return try run.flush(Self.chunk, sink)
            }
        }
        try correlations(export, request, &run, sink)
        if request.types == nil {
            for kind in ImportedElementKind.allCases where kind != .correlation && run.isOpen {
                let range = kind == .activitySummary ? request.summaries ?? request.range : request.range
                try export.elements(kind, range: range) { xml in
                    run.text.element(xml)
                    run.counts.elements += 1
                    return try run.flush(Self.chunk, sink)
                }
                if run.isOpen { try saved(kind, export, range, &run, sink) }
            }
        }
        run.text.put("</HealthData>\n")
        _ = try run.flush(0, sink)
        return run.counts
    }

    /// Writes the objects of programs that have elements of a kind.
    private static func saved(
        _ kind: ImportedElementKind, _ export: HealthExport, _ range: TimeRange, _ run: inout Run,
        _ sink: ([UInt8]) throws -> Bool
    ) throws {
        switch kind {
        case .workout:
            try export.workouts(range: range) { workout in
                run.text.workout(workout)
                run.counts.elements += 1
                return try run.flush(Self.chunk, sink)
            }
        case .audiogram, .visionPrescription:
            try export.samples(kind, range: range) { sample in
                run.text.sample(sample)
                run.counts.elements += 1
                return try run.flush(Self.chunk, sink)
            }
        case .correlation, .activitySummary, .clinicalRecord, .other: return
        }
    }

    private static func correlations(
        _ export: HealthExport, _ request: ExportRequest, _ run: inout Run,
        _ sink: ([UInt8]) throws -> Bool
    ) throws {
        if !run.isOpen { return }
        // The test for complete correlations scans all possible members, so it is skipped if not needed.
        if let types = request.types, types.allSatisfy({ isOfSamples($0) }) { return }
        try export.elements(.correlation, range: request.range) { xml in
            if let types = request.types, !(typeText(of: xml).map { types.contains($0) } ?? false) { return true }
            run.text.element(xml)
            run.counts.correlations += 1
            return try run.flush(Self.chunk, sink)
        }
        if run.isOpen {
            try export.correlations(range: request.range) { one in
                if let types = request.types, !types.contains(one.type) { return true }
                run.text.correlation(one)
                run.counts.correlations += 1
                return try run.flush(Self.chunk, sink)
            }
        }
    }

    /// Returns whether no correlation can have a type.
    private static func isOfSamples(_ type: String) -> Bool {
        type.hasPrefix("HKQuantityTypeIdentifier") || type.hasPrefix("HKCategoryTypeIdentifier")
    }

    /// Returns the attribute `type` of an element.
    private static func typeText(of xml: [UInt8]) -> String? {
        var cursor = ElementCursor(ImportTimes.firstTag(xml[...]))
        guard case .start(_, let attributes)? = cursor.next() else { return nil }
        return attributes.first { $0.name == "type" }?.value
    }

    /// A running export.
    private struct Run {
        var text: ExportText
        var counts = ExportCounts()
        /// Whether the sink accepts more bytes.
        var isOpen = true

        /// Calls the sink if enough bytes are buffered; returns whether to continue.
        mutating func flush(_ enough: Int, _ sink: ([UInt8]) throws -> Bool) throws -> Bool {
            if text.bytes.count < enough || !isOpen { return isOpen }
            isOpen = try sink(text.bytes)
            text.bytes.removeAll(keepingCapacity: true)
            return isOpen
        }

        mutating func head(_ about: ExportAbout, _ date: AppleDate, _ characteristics: [String: String]) {
            text.put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
            text.put(ExportDocumentType.text)
            text.put("<HealthData")
            text.attribute("locale", about.locale ?? "en_US")
            text.put(">\n <ExportDate")
            text.attribute("value", date.text)
            text.put("/>\n")
            if characteristics.isEmpty { return }
            text.put(" <Me")
            for name in characteristics.keys.sorted() { text.attribute(name, characteristics[name]) }
            text.put("/>\n")
        }
    }
}

/// Properties of a store's imports that an export repeats: the last known value of each.
struct ExportAbout {
    private(set) var locale: String?
    /// The offset from UTC in seconds.
    private(set) var offset: Int?

    init(_ imports: [ImportLogEntry]) {
        for entry in imports {
            for part in entry.note.split(separator: ";") {
                let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                guard pair.count == 2 else { continue }
                switch pair[0] {
                case "locale": locale = String(pair[1])
                case "exportDate":
                    if let date = AppleDate(Array(pair[1].utf8)) { offset = Int(date.offset) }
                default: break
                }
            }
        }
    }
}
