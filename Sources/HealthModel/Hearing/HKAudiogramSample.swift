// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The sensitivity of both ears for tones of one frequency.
public final class HKAudiogramSensitivityPoint: NSObject, NSCopying, Sendable {
    /// The frequency of the tones in hertz.
    public let frequency: HKQuantity
    /// The tests of this frequency.
    public let tests: [HKAudiogramSensitivityTest]

    /// The accepted frequencies in hertz. HealthKit's range is not public.
    private static let highest = 100_000.0

    /// Creates a point of unmasked tests by air.
    ///
    /// - Parameters:
    ///   - frequency: above 0 and at most 100,000 Hz.
    ///   - leftEarSensitivity: from -100 to 200 `dBHL`; nil if the ear was not tested.
    ///   - rightEarSensitivity: as that of the left ear.
    /// - Throws: ``HKError`` `errorInvalidArgument` for other numbers and units, and without any sensitivity.
    public convenience init(
        frequency: HKQuantity, leftEarSensitivity: HKQuantity?, rightEarSensitivity: HKQuantity?
    ) throws {
        let ears: [(HKAudiogramSensitivityTestSide, HKQuantity?)] = [
            (.left, leftEarSensitivity), (.right, rightEarSensitivity),
        ]
        try self.init(
            frequency: frequency,
            tests: try ears.compactMap { side, sensitivity in
                try sensitivity.map {
                    try HKAudiogramSensitivityTest(sensitivity: $0, type: .air, masked: false, side: side)
                }
            })
    }

    /// Creates a point of tests.
    ///
    /// - Parameters:
    ///   - frequency: above 0 and at most 100,000 Hz.
    ///   - tests: at least one, and at most one of each ear and conduction.
    /// - Throws: ``HKError`` `errorInvalidArgument` for another frequency or other tests.
    public init(frequency: HKQuantity, tests: [HKAudiogramSensitivityTest]) throws {
        let hertz = frequency.doubleValue(for: .hertz())
        guard hertz > 0, hertz <= Self.highest else {
            throw HKError(
                .errorInvalidArgument, reason: "\(frequency) is not the frequency of a tone", place: "frequency",
                advice: "give a number above 0 and at most 100,000 Hz")
        }
        guard !tests.isEmpty, Set(tests.map { [$0.side.rawValue, $0.type.rawValue] }).count == tests.count else {
            throw HKError(
                .errorInvalidArgument, reason: "the point has no test, or two tests of one ear", place: "tests",
                advice: "give one test of each ear")
        }
        self.frequency = frequency
        self.tests = tests
        super.init()
    }

    /// The sensitivity of the left ear by air; nil if it was not tested.
    public var leftEarSensitivity: HKQuantity? { sensitivity(.left) }
    /// The sensitivity of the right ear by air; nil if it was not tested.
    public var rightEarSensitivity: HKQuantity? { sensitivity(.right) }

    private func sensitivity(_ side: HKAudiogramSensitivityTestSide) -> HKQuantity? {
        tests.first { $0.side == side && $0.type == .air }?.sensitivity
    }

    /// The values as fields: 1 frequency, 2 each test.
    var fields: HealthFields {
        var fields = HealthFields()
        fields.put(1, frequency)
        for test in tests { fields.put(2, test.fields) }
        return fields
    }

    /// Creates the point of its fields.
    convenience init(fields: HealthFields) throws(HealthFields.Fault) {
        let frequency = try required(fields.quantity(1), "the frequency of a point")
        var tests: [HKAudiogramSensitivityTest] = []
        for part in try fields.parts(2) { tests.append(try HKAudiogramSensitivityTest(fields: part)) }
        do {
            try self.init(frequency: frequency, tests: tests)
        } catch {
            throw HealthFields.Fault(reason: (error as? HKError)?.reason ?? "a point is not valid")
        }
    }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the values.
    public override var hash: Int { fields.hashValue }

    /// Returns whether the other point has equal values.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? HKAudiogramSensitivityPoint)?.fields == fields
    }

    /// The frequency and the tests.
    public override var description: String {
        "\(frequency): \(tests.map(\.description).joined(separator: "; "))"
    }
}

/// A hearing test.
public final class HKAudiogramSample: HKSample, @unchecked Sendable {
    /// The sensitivities by frequency, ascending. Old exports have audiograms without points.
    public let sensitivityPoints: [HKAudiogramSensitivityPoint]

    package init(header: ObjectHeader, points: [HKAudiogramSensitivityPoint], start: Date, end: Date) {
        sensitivityPoints = points
        super.init(header: header, type: HKObjectType.audiogramSampleType(), start: start, end: end)
    }

    /// Decodes an audiogram that `encode(with:)` encoded; nil if the archive has no object of this class.
    public required init?(coder: NSCoder) {
        guard let known = coder.decodeFields(HKAudiogramSample.self) else { return nil }
        sensitivityPoints = known.sensitivityPoints
        super.init(coder: coder)
    }

    /// Creates an audiogram. Never fails; ``HealthSaveRules`` decides whether it can be saved.
    ///
    /// - Parameter sensitivityPoints: 1 to 30 points with ascending frequencies.
    public convenience init(
        sensitivityPoints: [HKAudiogramSensitivityPoint], start startDate: Date, end endDate: Date,
        metadata: [String: Any]?
    ) {
        self.init(
            sensitivityPoints: sensitivityPoints, start: startDate, end: endDate, device: nil, metadata: metadata)
    }

    /// Creates an audiogram. Never fails; ``HealthSaveRules`` decides whether it can be saved.
    ///
    /// - Parameter sensitivityPoints: 1 to 30 points with ascending frequencies.
    public convenience init(
        sensitivityPoints: [HKAudiogramSensitivityPoint], start startDate: Date, end endDate: Date, device: HKDevice?,
        metadata: [String: Any]?
    ) {
        self.init(
            header: ObjectHeader(device: device, metadata: metadata), points: sensitivityPoints, start: startDate,
            end: endDate)
    }

    /// The points as fields: 1 each point.
    package override var fields: HealthFields? {
        var fields = HealthFields()
        for point in sensitivityPoints { fields.put(1, point.fields) }
        return fields
    }

    /// Returns the audiogram of a header, dates and fields.
    static func stored(
        _ header: ObjectHeader, _ fields: HealthFields, start: Date, end: Date
    ) throws(HealthFields.Fault) -> HKAudiogramSample {
        var points: [HKAudiogramSensitivityPoint] = []
        for part in try fields.parts(1) { points.append(try HKAudiogramSensitivityPoint(fields: part)) }
        return HKAudiogramSample(header: header, points: points, start: start, end: end)
    }
}
