package io.github.rpcrdma4j.cli.metrics;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjDoubleConsumer;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;

/**
 * Metrics in the text format of Prometheus, version 0.0.4. Labels are given as name and value by
 * turns.
 */
final class MetricText {
    static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private final MetricSnapshots.Builder all = MetricSnapshots.builder();

    /** The values of one metric. */
    final class Values {
        private final ObjDoubleConsumer<Labels> adding;
        private final Supplier<MetricSnapshot> ending;

        private Values(ObjDoubleConsumer<Labels> adding, Supplier<MetricSnapshot> ending) {
            this.adding = adding;
            this.ending = ending;
        }

        Values add(double value, String... labels) {
            adding.accept(Labels.of(labels), value);
            return this;
        }

        /** Ends the metric. */
        void end() {
            all.metricSnapshot(ending.get());
        }
    }

    /** Begins a counter; the format adds {@code _total} to its name. */
    Values counter(String name, String help) {
        var counter = CounterSnapshot.builder().name(name).help(help);
        return new Values(
                (labels, value) ->
                        counter.dataPoint(
                                CounterDataPointSnapshot.builder()
                                        .value(value)
                                        .labels(labels)
                                        .build()),
                counter::build);
    }

    Values gauge(String name, String help) {
        var gauge = GaugeSnapshot.builder().name(name).help(help);
        return new Values(
                (labels, value) ->
                        gauge.dataPoint(
                                GaugeDataPointSnapshot.builder()
                                        .value(value)
                                        .labels(labels)
                                        .build()),
                gauge::build);
    }

    Histogram histogram(String name, String help, List<Duration> bounds) {
        return new Histogram(name, help, bounds);
    }

    /** A metric whose values are histograms of seconds. */
    final class Histogram {
        private final HistogramSnapshot.Builder builder;
        private final double[] bounds;

        private Histogram(String name, String help, List<Duration> bounds) {
            this.builder = HistogramSnapshot.builder().name(name).help(help);
            this.bounds =
                    DoubleStream.concat(
                                    bounds.stream().mapToDouble(Histogram::seconds),
                                    DoubleStream.of(Double.POSITIVE_INFINITY))
                            .toArray();
        }

        private static double seconds(Duration duration) {
            return duration.toNanos() / NANOS;
        }

        /**
         * Adds a histogram.
         *
         * @param counts of each bucket, and of what exceeds all bounds
         */
        void add(List<Long> counts, Duration sum, String... labels) {
            var buckets = counts.stream().flatMapToLong(LongStream::of).toArray();
            builder.dataPoint(
                    HistogramDataPointSnapshot.builder()
                            .classicHistogramBuckets(ClassicHistogramBuckets.of(bounds, buckets))
                            .sum(seconds(sum))
                            .labels(Labels.of(labels))
                            .build());
        }

        void end() {
            all.metricSnapshot(builder.build());
        }
    }

    /** Returns the text. */
    String text() {
        var out = new ByteArrayOutputStream();
        try {
            PrometheusTextFormatWriter.create().write(out, all.build());
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return out.toString(StandardCharsets.UTF_8);
    }
}
