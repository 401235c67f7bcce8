// SPDX-License-Identifier: Apache-2.0

extension ExportScanner {
    /// Reads more bytes, and moves the bytes from `at` on to the front of the window; returns false at the end.
    mutating func more(_ consumer: inout some ExportConsumer) throws(ExportError) -> Bool {
        if headerSent, !ended {
            try consumer.call {
                try $0.progress(bytesRead: base + UInt64(at), bytesTotal: source.total, records: summary.records)
            }
        }
        return try more()
    }

    /// Reads more bytes, without reporting progress.
    mutating func more() throws(ExportError) -> Bool {
        while !ended {
            slide()
            let wanted = record.buffer.count - Self.slack - filled
            let got = try source.read(into: &record.buffer, offset: filled, count: wanted)
            filled += got
            // A source that returns fewer bytes than requested has ended.
            ended = got < wanted
            let before = limit
            repair()
            // The new bytes may be only the start of a character.
            if limit > before { return true }
        }
        return false
    }

    /// Moves the kept bytes to the front, and resizes the window.
    private mutating func slide() {
        advanceLine(to: at)
        ScanBytes.move(&record.buffer, at..<filled, to: 0)
        base += UInt64(at)
        lineMark.at -= at
        limit -= at
        filled -= at
        at = 0
        let capacity = record.buffer.count - Self.slack
        let needed = max(limits.window, min(2 * filled, limits.elementBytes + limits.window), filled + Self.slack)
        if needed > capacity {
            record.buffer.append(contentsOf: repeatElement(0, count: needed - capacity))
        } else if needed == limits.window, capacity > 2 * needed {
            var smaller = Array(record.buffer[..<filled])
            smaller.append(contentsOf: repeatElement(0, count: needed + Self.slack - filled))
            record.buffer = smaller
        }
    }

    /// Repairs the bytes that were just read: control characters become spaces, invalid UTF-8 becomes question marks.
    /// No byte moves, so offsets in the window remain offsets in the file.
    private mutating func repair() {
        var place = limit
        while true {
            place = ScanBytes.findIrregular(record.buffer.span, place, filled)
            if place >= filled { break }
            let byte = record.buffer[place]
            if byte < 0x80 {
                if byte == 0, firstNul == nil { firstNul = base + UInt64(place) }
                issue(.illegalCharacter, at: place, "a control character was replaced with a space")
                record.buffer[place] = 0x20
                place += 1
                continue
            }
            switch UTF8Check.sequence(record.buffer.span, place, filled) {
            case .whole(let length):
                place += length
            case .cut where !ended:
                limit = place
                return
            case .cut, .none:
                let offset = base + UInt64(place)
                if offset != illFormedEnd { issue(.illFormedUTF8, at: place, "invalid UTF-8 was replaced with ?") }
                illFormedEnd = offset + 1
                record.buffer[place] = 0x3F
                place += 1
            }
        }
        limit = filled
    }

    private mutating func advanceLine(to place: Int) {
        guard place > lineMark.at else { return }
        lineMark.line += ScanBytes.lines(record.buffer.span, lineMark.at, place)
        lineMark.at = place
    }

    func line(at place: Int) -> Int {
        let bytes = record.buffer.span
        return place >= lineMark.at
            ? lineMark.line + ScanBytes.lines(bytes, lineMark.at, place)
            : lineMark.line - ScanBytes.lines(bytes, place, lineMark.at)
    }

    /// Returns the line of an element's start, and advances the line mark to it.
    mutating func startLine(at place: Int) -> Int {
        advanceLine(to: place)
        return line(at: place)
    }

    /// Counts an issue at a place in the buffer, and lists it up to the limit.
    mutating func issue(
        _ reason: ExportIssue.Reason, at place: Int, times: Int = 1, _ what: String
    ) {
        guard summary.issues.count(reason, times) else { return }
        summary.issues.list(reason, line: line(at: place), offset: base + UInt64(place), what)
    }

    mutating func report(_ notes: [Note]) {
        for note in notes { issue(note.reason, at: note.at, times: note.times, "\(note.what)") }
    }
}

enum UTF8Check {
    enum Sequence: Equatable {
        /// A valid character of this many bytes.
        case whole(Int)
        /// The bytes end inside a possibly valid character.
        case cut
        /// An invalid character.
        case none
    }

    /// Returns the validity of the character at a place.
    ///
    /// - Requires: a first byte that is not ASCII.
    static func sequence(_ bytes: Span<UInt8>, _ at: Int, _ end: Int) -> Sequence {
        let first = bytes[at]
        // The second byte has a narrower range after E0, ED, F0 and F4, which excludes overlong forms, surrogates and
        // code points above U+10FFFF.
        let (length, low, high): (Int, UInt8, UInt8)
        switch first {
        case 0xC2...0xDF: (length, low, high) = (2, 0x80, 0xBF)
        case 0xE0: (length, low, high) = (3, 0xA0, 0xBF)
        case 0xED: (length, low, high) = (3, 0x80, 0x9F)
        case 0xE1...0xEF: (length, low, high) = (3, 0x80, 0xBF)
        case 0xF0: (length, low, high) = (4, 0x90, 0xBF)
        case 0xF1...0xF3: (length, low, high) = (4, 0x80, 0xBF)
        case 0xF4: (length, low, high) = (4, 0x80, 0x8F)
        default: return .none
        }
        guard at + 1 < end else { return .cut }
        guard bytes[at + 1] >= low, bytes[at + 1] <= high else { return .none }
        for place in at + 2..<max(at + length, at + 2) {
            guard place < end else { return .cut }
            guard bytes[place] & 0xC0 == 0x80 else { return .none }
        }
        return .whole(length)
    }
}
