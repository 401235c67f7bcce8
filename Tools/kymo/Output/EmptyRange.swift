// SPDX-License-Identifier: Apache-2.0

import CivilTime
import HealthModel
import HealthViews
import KymographHealth

/// The message about a range without data, which says where the data is.
enum EmptyRange {
    /// Returns the message about a type.
    static func message(_ type: HealthType, _ store: HealthStore, _ zone: CivilZone) -> String {
        guard let stored = (try? store.types())?.first(where: { $0.type == type }) else {
            return "no samples of \(type.shortName) are stored; \"kymo types\" lists all types"
        }
        return "no samples of \(type.shortName) in this range; all are \(dates(stored.first, stored.last, zone))"
    }

    /// Returns the message about objects with a type of their own, such as electrocardiograms.
    ///
    /// - Parameter name: the objects in plural: `blood pressures`.
    static func message(_ name: String, of type: HKSampleType, _ store: HealthStore, _ zone: CivilZone) -> String {
        var ends: [Int64] = []
        for isLast in [false, true] {
            try? store.list(type, startingIn: .all, backward: isLast) { one in
                ends.append(one.start)
                return false
            }
        }
        guard let first = ends.first, let last = ends.last else {
            return "no \(name) are stored; \"kymo types\" lists all types"
        }
        return "no \(name) in this range; all are \(dates(first, last, zone))"
    }

    /// Returns the message about all types.
    static func message(
        from first: CalendarDate, to last: CalendarDate, _ store: HealthStore, _ zone: CivilZone
    ) -> String {
        let types = (try? store.types()) ?? []
        guard let begin = types.map(\.first).min(), let end = types.map(\.last).max() else {
            return "the store is empty; \"kymo import export.zip\" fills it"
        }
        return "no samples from \(first) to \(last); the store has samples \(dates(begin, end, zone))"
    }

    /// Returns `from 2022-05-01 to 2022-05-13`, or `on 2022-05-01`.
    private static func dates(_ first: Int64, _ last: Int64, _ zone: CivilZone) -> String {
        let (begin, end) = (Civil.formatDate(first, zone: zone), Civil.formatDate(last, zone: zone))
        return begin == end ? "on \(begin)" : "from \(begin) to \(end)"
    }
}
