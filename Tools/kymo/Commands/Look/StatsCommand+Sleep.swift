// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import HealthViews

// Statistics of sleep count nights: a sum of all samples would count a night once for each source, and the time in bed
// in addition.
extension StatsCommand {
    /// Writes the statistics of sleep.
    func sleep(_ store: HealthStore, _ type: HealthType, _ output: Output) throws -> ExitStatus {
        let wrong = [
            ("--sources", sources), ("--union", merging.union), ("--merged", merging.merged), ("--more", more),
            ("--deviation", deviation), ("--quantiles", quantiles != nil),
        ]
        if let option = wrong.first(where: \.1)?.0 {
            throw Failure.usage("sleep is counted by night; omit \(option), or use \"kymo sleep --explain\"")
        }
        _ = try unit.resolved(type)
        let zone = try zone.resolved(store, asOf: asOf.commit)
        let request = NightRequest(
            range: try range.days(zone), zone: zone.identifier,
            sources: try source.resolved(store, asOf: asOf.commit),
            priority: try merging.order(store, asOf: asOf.commit), asOf: asOf.commit)
        let nights = try store.nights(request)
        if nights.isEmpty, format.format == nil {
            Messages.write(EmptyRange.message(type, store, zone))
            return .done
        }
        switch by {
        case nil:
            let answer = SleepValues(totals: SleepTotals(nights))
            if let format = format.format {
                try answer.write(RowWriter(output, format, columns: SleepValues.columns))
            } else {
                try answer.table(output)
            }
        case .some(let step) where step.length == .day && step.count == 1:
            let answer = SleepAnswer(nights: nights, zone: zone, startMinute: request.startMinute)
            if let format = format.format {
                try answer.write(RowWriter(output, format, columns: SleepAnswer.columns))
            } else {
                try answer.table(output)
            }
        case .some(let step):
            guard step.length != .hour, step.length != .minute else {
                throw Failure.usage("\(type.shortName) is counted by night; --by takes day, week, month or year")
            }
            let answer = SleepAverages(try SleepAverages.rows(nights, step, zone), zone: zone, step: step)
            if let format = format.format {
                try answer.write(RowWriter(output, format, columns: SleepAverages.columns))
            } else {
                try answer.table(output)
            }
        }
        if explain { SleepAnswer(nights: nights, zone: zone, startMinute: request.startMinute).explain() }
        return .done
    }
}
