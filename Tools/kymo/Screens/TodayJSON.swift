// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import HealthViews

/// The output of a day as a JSON object.
struct TodayJSON {
    let day: DayOverview

    func write(_ output: Output) throws(DiskError) {
        var json = JSONWriter(lines: 1)
        json.beginObject()
        json.field("day", day.date.description)
        json.field("isToday", day.isToday)
        json.field("zone", day.zone.identifier)
        if let steps = day.steps { write("steps", steps, &json) }
        if let activity = day.activity { write(activity, &json) }
        if let pulse = day.restingPulse { write("restingPulse", pulse, &json) }
        if let sleep = day.sleep { write(sleep, &json) }
        if let weight = day.weight { write("weight", weight, &json) }
        if let workout = day.lastWorkout { write(workout, &json) }
        json.field("samples", day.samples)
        json.field("first", day.first, day.zone)
        json.field("lastImport", day.lastImport, day.zone)
        json.field("daysSinceImport", day.daysSinceImport)
        json.endObject()
        json.endLine()
        try output.write(json.take())
    }

    private func write(_ name: String, _ measure: DayOverview.Measure, _ json: inout JSONWriter) {
        json.key(name)
        json.beginObject()
        json.field("day", measure.date.description)
        json.field("value", measure.value)
        json.field("unit", measure.unit)
        json.field("average", measure.average)
        json.field("change", measure.change)
        recent(measure.recent, &json)
        json.endObject()
    }

    private func write(_ activity: DayOverview.Activity, _ json: inout JSONWriter) {
        let (values, goals) = (activity.values, activity.values.goals)
        json.key("activity")
        json.beginObject()
        json.field("day", activity.date.description)
        json.field("move", values.moved.value)
        json.field("moveGoal", values.moveGoal?.value)
        json.field("moveUnit", values.moved.unit.unitString)
        json.field("exercise", values.appleExerciseTime.doubleValue(for: .minute()))
        json.field("exerciseGoal", goals.appleExerciseTime?.doubleValue(for: .minute()))
        json.field("stand", values.appleStandHours.doubleValue(for: .count()))
        json.field("standGoal", goals.appleStandHours?.doubleValue(for: .count()))
        recent(activity.recent, &json)
        json.endObject()
    }

    private func write(_ sleep: DayOverview.Sleep, _ json: inout JSONWriter) {
        let night = sleep.night
        json.key("sleep")
        json.beginObject()
        json.field("night", night.date.description)
        json.field("start", night.mainPeriod?.start, day.zone)
        json.field("end", night.mainPeriod?.end, day.zone)
        json.field("asleep", night.asleep.inSeconds)
        json.field("inBed", night.inBed.map(\.inSeconds))
        for stage in [SleepStage.deep, .core, .rem, .unspecified, .awake] {
            json.field(stage.rawValue, night.duration(of: stage).inSeconds)
        }
        recent(sleep.recent, &json)
        json.endObject()
    }

    private func write(_ workout: WorkoutSummary, _ json: inout JSONWriter) {
        json.key("lastWorkout")
        json.beginObject()
        json.field("id", workout.id.hexadecimal)
        json.field("activity", workout.activityName)
        json.field("start", workout.start, day.zone)
        json.field("end", workout.end, day.zone)
        json.field("duration", workout.duration)
        json.field("distance", workout.distance)
        json.field("energy", workout.energy)
        json.field("source", workout.source)
        json.endObject()
    }

    /// Writes the values of the recent days; a day without data is null.
    private func recent(_ values: [Double?], _ json: inout JSONWriter) {
        json.key("recent")
        json.beginArray()
        for value in values { json.number(value ?? .nan) }
        json.endArray()
    }
}
