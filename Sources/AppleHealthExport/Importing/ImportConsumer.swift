// SPDX-License-Identifier: Apache-2.0

import KymographHealth

/// A consumer that adds the contents of an export to a store.
struct ImportConsumer: ExportConsumer {
    private let loader: HealthLoader
    private let onProgress: ((ImportProgress) -> Bool)?
    private var tuples: ImportTuples
    private var rows: ImportRows
    private var writer = MetadataWriter()
    private(set) var header = ExportHeader()
    private(set) var outcome = ImportOutcome()
    /// Issues that the reader accepts but the store cannot represent.
    private(set) var issues = IssueLog()
    /// The files that the XML names and that were not read yet.
    private var named = NamedFiles()
    private var missingFiles = MissingFiles()

    init(
        _ loader: HealthLoader, capacity: Int, seriesLimit: Int, progress: ((ImportProgress) -> Bool)?
    ) {
        self.loader = loader
        tuples = ImportTuples(seriesLimit: seriesLimit)
        onProgress = progress
        rows = ImportRows(capacity: capacity)
    }

    mutating func header(_ header: ExportHeader) {
        self.header = header
    }

    mutating func record(_ record: borrowing RecordFields) throws {
        let start = record.start.nanoseconds
        let end = record.end.nanoseconds
        guard start >= TimeLimits.earliest, end <= TimeLimits.latest else {
            return report(record, .unreadableDate, "a date outside of the years 1678 to 2261")
        }
        if !record.has(.sourceName) {
            report(record, .missingAttribute, "\(record.text(record.type)) has no sourceName; kept without one")
        }
        guard let row = try row(of: record) else {
            return report(record, .limit, "too many combinations of type, source, unit, version and device")
        }
        rows.append(row)
        if rows.isFull { try rows.flush(to: loader) }
    }

    /// Returns a record as a row; nil beyond the limit of combinations.
    @inline(__always)
    private mutating func row(of record: borrowing RecordFields) throws(HealthStoreError) -> ImportRows.Row? {
        guard let index = try tuples.index(of: record, loader) else { return nil }
        let tuple = tuples.tuples[index]
        var value = record.number ?? -1
        var isCanonical: Bool
        if !record.has(.value) {
            (value, isCanonical) = (0, false)
        } else if tuple.isCategory {
            (value, isCanonical) = tuples.category(record, index)
        } else {
            isCanonical = record.valueIsCanonical
        }
        var metadata: Int32 = 0
        if !isCanonical || !record.hasNothingBeside { metadata = try describe(record, isCanonical: isCanonical) }
        return ImportRows.Row(
            start: record.start.nanoseconds, end: record.end.nanoseconds, value: value,
            created: record.created?.nanoseconds ?? HealthRows.noDate, provenance: tuple.provenance,
            metadata: metadata, series: tuple.series)
    }

    private mutating func report(
        _ record: borrowing RecordFields, _ reason: ExportIssue.Reason, _ what: @autoclosure () -> String
    ) {
        if issues.count(reason) { issues.list(reason, line: record.line, offset: record.offset, what()) }
    }

    /// Returns the metadata set of a record.
    private mutating func describe(
        _ record: borrowing RecordFields, isCanonical: Bool
    ) throws(HealthStoreError) -> Int32 {
        writer.begin()
        for entry in record.metadata { writer.entry(record.buffer, key: entry.key, value: entry.value) }
        if !isCanonical {
            if record.has(.value) {
                writer.valueText(record.buffer, record.value)
            } else {
                writer.noValue()
            }
        }
        if !record.has(.sourceName) { writer.noSource() }
        if record.hasBeatList {
            writer.beats(record.buffer, record.beats.map { BeatList.Texts(bpm: $0.bpm, time: $0.time) })
        }
        for attribute in record.extraAttributes {
            writer.attribute(record.buffer, name: attribute.key, value: attribute.value)
        }
        for child in record.extraChildren { writer.child(record.buffer, child) }
        return try loader.intern(metadata: writer.bytes)
    }

    mutating func element(name: String, xml: ArraySlice<UInt8>, line: Int, offset: UInt64) throws {
        named.add(from: name, xml)
        if name == "Correlation", let isNew = try correlation(xml, line: line, offset: offset) {
            if isNew { outcome.objectsAdded += 1 } else { outcome.objectsUnchanged += 1 }
            return
        }
        if name == "Workout", let isNew = try workout(xml, line: line, offset: offset) {
            if isNew { outcome.objectsAdded += 1 } else { outcome.objectsUnchanged += 1 }
            return
        }
        if let isNew = try sample(name, xml, line: line, offset: offset) {
            if isNew { outcome.objectsAdded += 1 } else { outcome.objectsUnchanged += 1 }
            return
        }
        let (start, end) = ImportTimes.of(name, xml)
        let isNew = try loader.add(kind: ImportedElementKind(element: name), start: start, end: end, Array(xml))
        if isNew { outcome.objectsAdded += 1 } else { outcome.objectsUnchanged += 1 }
        if name == "ActivitySummary", !HealthLoader.isOfSomeDay(summaryAt: start), issues.count(.unreadableDate) {
            issues.list(
                .unreadableDate, line: line, offset: offset,
                "an ActivitySummary without a date from 1678 to 2261; kept, but without a day")
        }
    }

    /// Adds a correlation that can be an object, and returns whether it is new; nil for any other correlation.
    private mutating func correlation(
        _ xml: ArraySlice<UInt8>, line: Int, offset: UInt64
    ) throws(HealthStoreError) -> Bool? {
        guard let element = ExportElement(xml) else { return nil }
        reportAbsent(in: element, line: line, offset: offset)
        guard let found = ImportCorrelation(element), found.isStorable else { return nil }
        var members = [LoadedCorrelation.Member]()
        for element in found.members {
            guard let record = RecordFields(element), let row = try row(of: record) else { return nil }
            members.append(
                .init(
                    start: row.start, end: row.end, value: row.value, created: row.created,
                    provenance: Int64(row.provenance), metadata: row.metadata, series: Int(row.series)))
        }
        writer.begin()
        for entry in found.metadata {
            let bytes = Array(entry.name.utf8) + Array(entry.value.utf8)
            let key = 0..<entry.name.utf8.count
            writer.entry(bytes, key: key, value: key.upperBound..<bytes.count)
        }
        if found.source == nil { writer.noSource() }
        let correlation = LoadedCorrelation(
            type: found.type, start: found.start.nanoseconds, end: found.end.nanoseconds,
            created: found.created?.nanoseconds ?? HealthRows.noDate,
            provenance: loader.provenance(
                source: found.source ?? "", version: found.version, device: found.device
            ).provenance,
            metadata: try loader.intern(metadata: writer.bytes), members: members)
        return try loader.add(correlation: correlation, content: found.content, xml: Array(xml))
    }

    /// Adds a workout, and returns whether it is new; nil for an element that cannot be a workout.
    private mutating func workout(
        _ xml: ArraySlice<UInt8>, line: Int, offset: UInt64
    ) throws(HealthStoreError) -> Bool? {
        guard let added = try loader.add(workout: Array(xml)) else {
            if issues.count(.unreadableDate) {
                issues.list(
                    .unreadableDate, line: line, offset: offset,
                    "a Workout without readable dates from 1678 to 2261; kept, but not as a workout")
            }
            return nil
        }
        for note in added.notes where issues.count(.unreadablePart) {
            issues.list(.unreadablePart, line: line, offset: offset, "left out of a workout: \(note)")
        }
        return added.isNew
    }

    /// Adds an audiogram, a prescription or a clinical record, and returns whether it is new; nil for any other element
    /// and for one without readable dates.
    private mutating func sample(
        _ name: String, _ xml: ArraySlice<UInt8>, line: Int, offset: UInt64
    ) throws(HealthStoreError) -> Bool? {
        let kind = ImportedElementKind(element: name)
        guard kind == .audiogram || kind == .visionPrescription || kind == .clinicalRecord else { return nil }
        guard let added = try loader.add(sample: Array(xml), kind: kind) else {
            if issues.count(.unreadableDate) {
                issues.list(
                    .unreadableDate, line: line, offset: offset,
                    "\(name) without readable dates from 1678 to 2261; kept, but not as a sample")
            }
            return nil
        }
        for note in added.notes where issues.count(.unreadablePart) {
            issues.list(.unreadablePart, line: line, offset: offset, "left out of \(name): \(note)")
        }
        return added.isNew
    }

    /// Reports missing attributes of a correlation, whether it is stored as an object or as an element.
    private mutating func reportAbsent(in correlation: ExportElement, line: Int, offset: UInt64) {
        let absent = AbsentAttributes(correlation)
        let type = correlation["type"] ?? "a Correlation"
        for (isAbsent, what) in [
            (absent.hasNoSource, "has no sourceName, or contains a record without it"),
            (absent.hasOddEntry, "contains a MetadataEntry without a key or a value"),
            (absent.hasOddBeat, "contains a beat without a rate or a time"),
        ] where isAbsent && issues.count(.missingAttribute) {
            issues.list(.missingAttribute, line: line, offset: offset, "\(type) \(what); kept as it is")
        }
    }

    mutating func document(path: String, bytes: [UInt8], deflated: [UInt8]?) throws {
        named.remove(path)
        missingFiles.found(path)
        try rows.setAside(in: loader)
        if loader.hasRoutes(ofFile: path) {
            outcome.documentsUnchanged += 1
            return
        }
        if try loader.add(document: path, bytes, deflated: deflated) {
            outcome.documentsAdded += 1
        } else {
            outcome.documentsUnchanged += 1
        }
        if path.lowercased().hasSuffix(".csv") { try electrocardiogram(path, bytes) }
        if case .unreadable(let what) = try loader.addRoute(file: path, bytes), issues.count(.unreadableRoute) {
            issues.list(.unreadableRoute, line: 1, offset: 0, "no route created from \(path.suffix(80)): \(what)")
        }
    }

    /// Creates a sample from an electrocardiogram's file, which also remains a document.
    private mutating func electrocardiogram(_ path: String, _ bytes: [UInt8]) throws(HealthStoreError) {
        let content: LoadedElectrocardiogram
        do throws(ElectrocardiogramFile.Fault) {
            content = try ElectrocardiogramFile(bytes).content
        } catch {
            if ElectrocardiogramFile.isMeant(path), issues.count(.unreadableElectrocardiogram) {
                issues.list(
                    .unreadableElectrocardiogram, line: error.line, offset: UInt64(error.offset),
                    "no electrocardiogram created from \(path.suffix(80)): \(error.what)")
            }
            return
        }
        if try loader.add(content) {
            outcome.electrocardiogramsAdded += 1
        } else {
            outcome.electrocardiogramsUnchanged += 1
        }
    }

    mutating func progress(bytesRead: UInt64, bytesTotal: UInt64, records: Int) throws {
        let now = ImportProgress(bytesRead: bytesRead, bytesTotal: bytesTotal, records: records)
        if Task.isCancelled || onProgress.map({ !$0(now) }) ?? false { throw ImportError.cancelled }
    }

    /// Writes the remaining rows, and resolves the correlations.
    ///
    /// - Parameter isWhole: whether the file is complete and undamaged; characteristics of any other file do not
    ///   replace stored ones.
    mutating func finish(isWhole: Bool) throws(HealthStoreError) {
        for attribute in header.me {
            loader.set(characteristic: attribute.name, to: attribute.value, replacing: isWhole)
        }
        try rows.flush(to: loader)
        for member in try loader.missingMembers() {
            rows.append(
                .init(
                    start: member.start, end: member.end, value: member.value, created: member.created,
                    provenance: Int32(truncatingIfNeeded: member.provenance), metadata: member.metadata,
                    series: Int32(truncatingIfNeeded: member.series)))
            if rows.isFull { try rows.flush(to: loader) }
        }
        try rows.flush(to: loader)
        try loader.settleCorrelations()
        try loader.settleWorkouts()
        if !named.isEmpty {
            for path in try loader.storedDocumentPaths() { named.remove(path) }
        }
        let missing = missingFiles.ordered(named.names)
        outcome.lacksFolder = missingFiles.isWholeFolder(in: missing)
        outcome.missing = missing.count
        outcome.missingFiles = Array(missing.prefix(IssueLog.listedPerReason))
    }
}

extension RecordFields {
    /// Whether the record has only known attributes, including a source.
    fileprivate var hasNothingBeside: Bool {
        parts.metadata.isEmpty && !parts.hasBeatList && parts.extraAttributes.isEmpty && parts.extraChildren.isEmpty
            && has(.sourceName)
    }
}

/// The start and end of an imported element.
enum ImportTimes {
    /// Returns start and end of an element, as far as its start tag states them.
    static func of(_ name: String, _ xml: ArraySlice<UInt8>) -> (start: Int64?, end: Int64?) {
        var cursor = ElementCursor(firstTag(xml))
        guard case .start(_, let attributes)? = cursor.next() else { return (nil, nil) }
        func instant(_ name: String) -> Int64? {
            attributes.first { $0.name == name }.flatMap { AppleDate(Array($0.value.utf8))?.nanoseconds }
        }
        switch name {
        case "ActivitySummary":
            // A date without a zone: its midnight in UTC.
            let date = attributes.first { $0.name == "dateComponents" }?.value ?? ""
            return (AppleDate(Array("\(date) 00:00:00 +0000".utf8))?.nanoseconds, nil)
        case "VisionPrescription": return (instant("dateIssued"), instant("expirationDate"))
        case "ClinicalRecord": return (instant("receivedDate"), nil)
        default: return (instant("startDate"), instant("endDate"))
        }
    }

    /// Returns the bytes up to the end of the first tag.
    static func firstTag(_ xml: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var quote: UInt8 = 0
        for at in xml.indices {
            let byte = xml[at]
            if quote != 0 {
                if byte == quote { quote = 0 }
            } else if byte == 0x22 || byte == 0x27 {
                quote = byte
            } else if byte == 0x3E {
                return xml[...at]
            }
        }
        return xml
    }
}
