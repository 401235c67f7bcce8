// SPDX-License-Identifier: Apache-2.0

import KymographHealth

extension ExportScanner {
    /// Parses a record, validates it and passes it to the consumer.
    ///
    /// - Ordering: after its start tag was parsed.
    mutating func readRecord(_ consumer: inout some ExportConsumer) throws(ExportError) -> MarkupOutcome {
        if !skimmer.notes.isEmpty { skimmer.notes.removeAll(keepingCapacity: true) }
        let outcome = parseRecord()
        switch outcome {
        case .needMore:
            return try needMore(within: limits.mostRecordBytes, .record, &consumer)
        case .malformed: return try fail(parser.problem, .record, &consumer)
        case .unclosed: issue(.unclosedElement, at: at, "a Record without end tag was closed before the next element")
        case .complete: break
        }
        try sendHeader(&consumer)
        if rootClosed { noteBehindRoot() }
        if !parser.notes.isEmpty { report(parser.notes) }
        if !skimmer.notes.isEmpty { report(skimmer.notes) }
        record.line = startLine(at: at)
        record.offset = base + UInt64(at)
        // Resolved references may contain line feeds that the file does not have, so the line is computed first.
        let next = (at: parser.end, line: line(at: parser.end))
        if !record.parts.escaped.isEmpty { resolve() }
        if validate() {
            do {
                try consumer.record(record)
            } catch {
                throw .consumer(error)
            }
            summary.records += 1
        } else {
            summary.recordsSkipped += 1
        }
        at = parser.end
        lineMark = next
        return .complete
    }

    /// Resolves the references of the record in place.
    private mutating func resolve() {
        var found = References.Found()
        for slot in record.parts.escaped {
            if case .field(RecordFields.Field.device.rawValue) = slot {
                resolveDevice(&found)
            } else {
                record.parts[slot] = References.resolve(&record.buffer, record.parts[slot], &found)
            }
        }
        if found != References.Found() {
            var notes: [Note] = []
            notes.append(found, at: at)
            report(notes)
        }
    }

    /// Resolves the references of the device and removes its address, with a cache of the last devices.
    private mutating func resolveDevice(_ found: inout References.Found) {
        let raw = record.device
        // The text after the address is equal in all records of a device.
        guard let tail = DeviceText.escapedTail(of: record.buffer.span, raw) else {
            record.parts.fields[RecordFields.Field.device.rawValue] = References.resolve(&record.buffer, raw, &found)
            return
        }
        for known in lastDevices where known.tail.count == tail.count {
            if ScanBytes.equal(record.buffer.span, tail.lowerBound, known.tail.span, 0, tail.count) {
                let place = raw.lowerBound..<raw.lowerBound + known.text.count
                record.buffer.replaceSubrange(place, with: known.text)
                record.parts.fields[RecordFields.Field.device.rawValue] = place
                return
            }
        }
        let written = record.bytes(tail)
        let before = found
        record.parts.fields[RecordFields.Field.device.rawValue] = References.resolve(&record.buffer, raw, &found)
        stripAddress()
        // Irregular devices are not cached, so that each of their records is reported.
        if found == before, written.count <= 1_024 {
            if lastDevices.count == 8 { lastDevices.removeFirst() }
            lastDevices.append((written, record.bytes(record.device)))
        }
    }

    /// Validates the required values; returns false, with an issue, if one is missing or unreadable.
    private mutating func validate() -> Bool {
        stripAddress()
        guard !record.type.isEmpty else {
            issue(.missingType, at: at, "Record left out: no type")
            return false
        }
        var reader = dates
        guard let start = reader.read(record.buffer.span, record.startDate) else {
            return unreadable("startDate", record.startDate)
        }
        guard let end = reader.read(record.buffer.span, record.endDate) else {
            return unreadable("endDate", record.endDate)
        }
        guard end.nanoseconds >= start.nanoseconds else {
            issue(.endBeforeStart, at: at, "\(typeText) left out: its end \(end.text) is before its start")
            return false
        }
        record.start = start
        record.end = end
        record.created = reader.read(record.buffer.span, record.creationDate)
        dates = reader
        if record.created == nil, record.has(.creationDate) {
            issue(
                .unreadableCreationDate, at: at, "creationDate \(excerpt(record.creationDate)) is not a date; omitted")
        }
        record.number = DecimalText.parse(record.buffer.span.extracting(record.value))
        if record.number == nil, isQuantity {
            issue(.unreadableValue, at: at, "\(typeText) left out: value \(excerpt(record.value)) is not finite")
            return false
        }
        return true
    }

    private mutating func unreadable(_ name: String, _ range: Range<Int>) -> Bool {
        issue(.unreadableDate, at: at, "\(typeText) left out: \(name) \(excerpt(range)) is not a date")
        return false
    }

    /// Removes the heap address from the device.
    private mutating func stripAddress() {
        let device = record.device
        guard let found = DeviceText.address(in: record.buffer.span.extracting(device)) else { return }
        let first = device.lowerBound + found.lowerBound
        ScanBytes.move(&record.buffer, device.lowerBound + found.upperBound..<device.upperBound, to: first)
        record.parts.fields[RecordFields.Field.device.rawValue] = device.lowerBound..<device.upperBound - found.count
    }

    private var isQuantity: Bool {
        let type = record.type
        return ScanBytes.matches(record.buffer.span, type.lowerBound, type.upperBound, "HKQuantityTypeIdentifier")
    }

    private var typeText: String { excerpt(record.type, quoted: false) }

    /// Returns at most 64 bytes of a text, for a message.
    private func excerpt(_ range: Range<Int>, quoted: Bool = true) -> String {
        let text = String(decoding: record.buffer[range.prefix(64)], as: UTF8.self)
        return (quoted ? "\"\(text)\"" : text) + (range.count > 64 ? "..." : "")
    }

    /// Parses an element other than a record.
    ///
    /// - Ordering: after its start tag was parsed.
    mutating func readElement(
        _ name: TopLevel?, _ consumer: inout some ExportConsumer
    ) throws(ExportError) -> MarkupOutcome {
        if name == .root { return secondRoot() }
        if name == .exportDate || name == .me, !headerSent { readHeaderElement(name) }
        skimmer.notes.removeAll(keepingCapacity: true)
        let nameRange = tag.name
        let outcome = skim(name)
        switch outcome {
        case .needMore: return try needMore(within: limits.elementBytes, name, &consumer)
        case .malformed: return try fail(skimmer.problem, name, &consumer)
        case .unclosed where name == nil:
            // An unclosed, unknown element is treated as text.
            strayMarkup("an unclosed tag was left out")
            at = skimmer.end
            return .complete
        case .unclosed, .complete: break
        }
        let text = record.text(nameRange)
        if outcome == .unclosed {
            issue(.unclosedElement, at: at, "\(text) without end tag was closed before the next element")
        }
        report(skimmer.notes)
        if name == .exportDate || name == .me {
            if headerSent { issue(.unexpectedElement, at: at, "\(text) after the first element was left out") }
            at = skimmer.end
            return .complete
        }
        try sendHeader(&consumer)
        if rootClosed { noteBehindRoot() }
        try deliver(text, closing: outcome == .unclosed, &consumer)
        at = skimmer.end
        return .complete
    }

    /// Passes an element to the consumer, with the missing end tags.
    private mutating func deliver(
        _ name: String, closing: Bool, _ consumer: inout some ExportConsumer
    ) throws(ExportError) {
        let line = startLine(at: at)
        let offset = base + UInt64(at)
        do {
            if closing {
                var xml = Array(record.buffer[at..<skimmer.end])
                for open in skimmer.open.reversed() { xml += [0x3C, 0x2F] + record.buffer[open] + [0x3E] }
                try consumer.element(name: name, xml: xml[...], line: line, offset: offset)
            } else {
                try consumer.element(name: name, xml: record.buffer[at..<skimmer.end], line: line, offset: offset)
            }
        } catch {
            throw .consumer(error)
        }
        summary.elements[name, default: 0] += 1
    }

    /// Copies the attributes of `ExportDate` or `Me` to the header.
    private mutating func readHeaderElement(_ name: TopLevel?) {
        let attributes = self.attributes()
        if name == .me {
            header.me = attributes
        } else {
            header.exportDate = attributes.first { $0.name == "value" }?.value
        }
    }

    /// Returns the attributes of the last tag, unescaped.
    func attributes() -> [ExportAttribute] {
        (0..<tag.count).map { index in
            let attribute = tag.attributes[index]
            return ExportAttribute(
                name: record.text(attribute.name), value: References.text(record.buffer.span, attribute.value))
        }
    }

    /// Handles a root inside or after the root: its content is read as well.
    private mutating func secondRoot() -> MarkupOutcome {
        if hasRoot { issue(.secondRoot, at: at, "a second HealthData; its content was read as well") }
        hasRoot = true
        rootClosed = tag.selfClosing
        at = tag.end
        return .complete
    }

    private mutating func noteBehindRoot() {
        issue(.contentAfterRoot, at: at, "an element after </HealthData> was read as well")
    }

    /// Requests more bytes for the element at `at`, unless it reached the length limit.
    mutating func needMore(
        within most: Int, _ name: TopLevel?, _ consumer: inout some ExportConsumer
    ) throws(ExportError) -> MarkupOutcome {
        if limit - at < most { return .needMore }
        let problem = MarkupProblem(reason: .limit, what: "the element is too long", at: at + most)
        return try fail(problem, name, &consumer)
    }
}
