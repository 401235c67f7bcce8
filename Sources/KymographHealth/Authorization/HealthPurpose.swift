// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// The reasons of a program to read and to save, which the person sees in a request. Not part of HealthKit.
///
/// HealthKit takes them from the program's `Info.plist`; a program without one sets them here.
public struct HealthPurpose: Hashable, Sendable {
    /// The key of the reason to read, `NSHealthShareUsageDescription`.
    public static let readKey = "NSHealthShareUsageDescription"
    /// The key of the reason to save, `NSHealthUpdateUsageDescription`.
    public static let shareKey = "NSHealthUpdateUsageDescription"
    /// The key of the reason to read clinical records, `NSHealthClinicalHealthRecordsShareUsageDescription`.
    public static let clinicalKey = "NSHealthClinicalHealthRecordsShareUsageDescription"

    /// The reason to read; nil without one.
    public var read: String?
    /// The reason to save; nil without one.
    public var share: String?
    /// The reason to read clinical records; nil without one.
    public var clinical: String?

    /// Creates reasons.
    public init(read: String? = nil, share: String? = nil, clinical: String? = nil) {
        self.read = read
        self.share = share
        self.clinical = clinical
    }

    private static let given = Mutex(HealthPurpose())

    /// Sets the reasons of this process. Nil keeps the reason of `Info.plist`.
    public static func set(read: String? = nil, share: String? = nil, clinical: String? = nil) {
        given.withLock { $0 = HealthPurpose(read: read, share: share, clinical: clinical) }
    }

    /// The reasons of this process.
    public static var current: HealthPurpose {
        func text(_ key: String) -> String? { Bundle.main.object(forInfoDictionaryKey: key) as? String }
        let known = given.withLock { $0 }
        return HealthPurpose(
            read: known.read ?? text(readKey), share: known.share ?? text(shareKey),
            clinical: known.clinical ?? text(clinicalKey))
    }

    /// Throws `errorInvalidArgument` if a reason for the types is missing or empty.
    func check(share types: Set<HKSampleType>, read: Set<HKObjectType>) throws(HKError) {
        let clinicalTypes = read.filter { $0 is HKClinicalType }
        if !types.isEmpty { try Self.require(share, Self.shareKey) }
        if read.count > clinicalTypes.count { try Self.require(self.read, Self.readKey) }
        if !clinicalTypes.isEmpty { try Self.require(clinical, Self.clinicalKey) }
    }

    private static func require(_ reason: String?, _ key: String) throws(HKError) {
        if let reason, !reason.isEmpty { return }
        throw HKError(
            .errorInvalidArgument, reason: "the program gives no reason for its request", place: key,
            advice: "set the key in the program's Info.plist, or call HealthPurpose.set(read:share:clinical:)")
    }
}
