// SPDX-License-Identifier: Apache-2.0

/// The values of a report about a range of days. Types without data are missing.
package struct YearReview: Sendable {
    package let span: DaySpan
    /// The number of samples in the span, and of their types.
    package var samples = 0
    package var types = 0
    package var steps: DailySeries?
    package var distance: DailySeries?
    /// The resting heart rate by month, since the first sample.
    package var resting: [Spread] = []
    package var restingDays: DailySeries?
    /// The heart rate by day, of a long span by week.
    package var heart: [Spread] = []
    package var variability: DailySeries?
    package var nights: [Night] = []
    package var activity: [ActivityDay] = []
    /// Measures with few values: weight, blood pressure, glucose, oxygen.
    package var measures: [DailySeries] = []
    /// The latest electrocardiograms with their voltages.
    package var recordings: [(one: Electrocardiogram, voltages: [Voltage])] = []
    /// The workouts that start in the span.
    package var workouts: WorkoutList?
    /// The latest workouts with a route, the latest first, with their routes.
    package var routes: [(one: WorkoutSummary, route: RouteOutline)] = []
    package var counted: [WhoCounted] = []
    package var pairs: [TypePair] = []
    /// The types of the span with their number of samples, most samples first.
    package var contents: [(type: HealthType, samples: Int)] = []

    package init(span: DaySpan) { self.span = span }

    /// The most days that are drawn one by one: three years.
    private static let mostDays = 1_100

    /// Whether the span has more days than a page draws one by one; then values are drawn by week or month.
    package var isLong: Bool { span.count > Self.mostDays }
}
