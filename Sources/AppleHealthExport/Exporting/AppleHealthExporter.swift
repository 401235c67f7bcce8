// SPDX-License-Identifier: Apache-2.0

import FileSystem
public import KymographHealth

/// What of a store to write as an export, and how.
public struct ExportRequest: Sendable {
    /// Only records and correlations of these types, by identifier; nil for everything.
    public var types: Set<String>?
    /// Only what starts in this range; `.all` includes what has no time.
    public var range: TimeRange
    /// Only activity summaries whose date, as its midnight in UTC, lies in this range: they have no time of day. Nil
    /// for that of all others.
    public var summaries: TimeRange?
    /// The offset of all dates from UTC, in seconds: whole minutes, at most 18 hours; nil for that of the last import,
    /// or none.
    public var offset: Int?
    /// When the export is made, in nanoseconds since 1970-01-01 UTC; nil for now.
    public var date: Int64?

    /// A request for everything, unless more is said.
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

/// What was written.
public struct ExportCounts: Sendable, Hashable {
    /// Records that stand by themselves.
    public var records: Int
    /// Correlations.
    public var correlations: Int
    /// Workouts, activity summaries and all other elements that imports have kept.
    public var elements: Int

    /// Numbers of what was written; without more, nothing.
    public init(records: Int = 0, correlations: Int = 0, elements: Int = 0) {
        self.records = records
        self.correlations = correlations
        self.elements = elements
    }
}

/// Writes what a store holds as Apple's XML.
public enum AppleHealthExporter {
    /// Bytes that are handed over at a time, about.
    private static let chunk = 1 << 16

    /// Writes an export: the document type, characteristics, records by type and start, correlations, and all elements
    /// that imports have kept.
    ///
    /// Texts are those of the imports (values, units, sources, metadata), but for the memory address of devices; dates
    /// have one offset. What programs have saved is written so that an import gives equal samples:
    /// `Docs/ExportWriting.md`. All of it is of one commit.
    /// - Parameter sink: takes the next bytes and says whether it wants more.
    /// - Throws: `HealthStoreError`, `invalidArgument` for an offset that no date can have, and what `sink` throws.
    /// - Complexity: linear in the store; memory of some blocks, 8 bytes for each element, and some 40 for each
    ///   correlation and each member of one, if correlations are asked for.
    public static func write(
        _ store: HealthStore, _ request: ExportRequest = ExportRequest(), to sink: ([UInt8]) throws -> Bool
    ) throws -> ExportCounts {
        if let offset = request.offset, !(-64_800...64_800).contains(offset) || offset % 60 != 0 {
            throw HealthStoreError(
                .invalidArgument,
                "an offset of \(offset) s cannot be written; dates have whole minutes, up to 18 hours either way")
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
            }
        }
        run.text.put("</HealthData>\n")
        _ = try run.flush(0, sink)
        return run.counts
    }

    private static func correlations(
        _ export: HealthExport, _ request: ExportRequest, _ run: inout Run,
        _ sink: ([UInt8]) throws -> Bool
    ) throws {
        if !run.isOpen { return }
        // To know which correlations are whole takes a look at all that may be members.
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

    /// Whether a type is one that no correlation has.
    private static func isOfSamples(_ type: String) -> Bool {
        type.hasPrefix("HKQuantityTypeIdentifier") || type.hasPrefix("HKCategoryTypeIdentifier")
    }

    /// The attribute `type` of an element.
    private static func typeText(of xml: [UInt8]) -> String? {
        var cursor = ElementCursor(ImportTimes.firstTag(xml[...]))
        guard case .start(_, let attributes)? = cursor.next() else { return nil }
        return attributes.first { $0.name == "type" }?.value
    }

    /// An export on its way.
    private struct Run {
        var text: ExportText
        var counts = ExportCounts()
        /// Whether somebody still reads.
        var isOpen = true

        /// Hands over what was written, if it is enough; whether more is wanted.
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

/// What the imports of a store say that an export repeats: of the last one that says it.
struct ExportAbout {
    private(set) var locale: String?
    /// Seconds east of Greenwich.
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
