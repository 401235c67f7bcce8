// SPDX-License-Identifier: Apache-2.0

/// Reads workout files of any size in bounded memory.
///
/// ```swift
/// let outcome = try WorkoutFileReader.read("ride.fit") { item in
///     if case .point(let point) = item { print(point) }
///     return true
/// }
/// ```
public enum WorkoutFileReader {
    /// The result of reading a file.
    public struct Outcome: Hashable, Sendable {
        /// The format.
        public let format: WorkoutFile.Format
        /// The first problem; nil without a problem, or if the function ended the reading.
        public let damage: WorkoutFileError?
    }

    /// Passes the items of a file to a function, in the order of the file.
    ///
    /// The first bytes determine the format. A point without a time or without a measurement is left out.
    ///
    /// - Parameter body: receives an item, and returns whether reading continues.
    /// - Throws: ``WorkoutFileError``: `unreadable`, `unknownFormat`. The outcome has all other problems.
    @discardableResult
    public static func read(
        _ path: String, _ body: (WorkoutFileItem) -> Bool
    ) throws(WorkoutFileError) -> Outcome {
        try read(try ByteWindow(path), body)
    }

    /// Passes the items in the bytes of a file to a function. See ``read(_:_:)``.
    ///
    /// - Throws: ``WorkoutFileError``: `unknownFormat`.
    @discardableResult
    public static func read(
        bytes: [UInt8], _ body: (WorkoutFileItem) -> Bool
    ) throws(WorkoutFileError) -> Outcome {
        try read(ByteWindow(bytes: bytes), body)
    }

    private static func read(
        _ window: ByteWindow, _ body: (WorkoutFileItem) -> Bool
    ) throws(WorkoutFileError) -> Outcome {
        var window = window
        if try FITDecoder.isFIT(&window) {
            var decoder = FITDecoder(window)
            let damage = try damage { () throws(WorkoutFileError) in try decoder.decode(body) }
            return Outcome(format: .fit, damage: damage ?? decoder.damage)
        }
        var scanner = XMLScanner(window)
        let format: WorkoutFile.Format
        switch try root(&scanner) {
        case "gpx": format = .gpx
        case "TrainingCenterDatabase": format = .tcx
        default:
            throw WorkoutFileError(
                .unknownFormat, at: 0, "the file is not FIT, TCX or GPX; convert it to one of these formats")
        }
        let damage = try damage { () throws(WorkoutFileError) in
            if format == .gpx {
                var reader = GPXReader()
                try reader.read(&scanner, body)
            } else {
                var reader = TCXReader()
                try reader.read(&scanner, body)
            }
        }
        return Outcome(format: format, damage: damage)
    }

    /// Returns the name of the root element; nil if the file is not XML.
    private static func root(_ scanner: inout XMLScanner) throws(WorkoutFileError) -> String? {
        do {
            guard case .start(let name, _)? = try scanner.next() else { return nil }
            return name
        } catch {
            if error.reason == .unreadable { throw error }
            return nil
        }
    }

    /// Returns the damage that ended a reading; throws errors of the system.
    private static func damage(
        _ body: () throws(WorkoutFileError) -> Void
    ) throws(WorkoutFileError) -> WorkoutFileError? {
        do {
            try body()
            return nil
        } catch {
            if error.reason == .unreadable { throw error }
            return error
        }
    }
}
