package io.github.rpcrdma4j.bench.latency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.bench.report.Spread;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

/** Goal: table, JSON and picture show the findings. */
class LatencyReportTest {
    private static final CallCosts TWO = new CallCosts(2, 2, 0, 1, 1, 1);

    private static Finding finding(
            Transfer transfer, TransferModel model, CallCosts costs, double overhead) {
        SortedMap<Long, CallCosts> simulated = new TreeMap<>();
        SortedMap<Long, Spread> micros = new TreeMap<>();
        micros.put(0L, new Spread(overhead, overhead, overhead));
        for (long delay : List.of(20_000L, 100_000L, 1_000_000L, 10_000_000L)) {
            simulated.put(delay, costs);
            double time = overhead + costs.roundTrips() * 2 * delay / 1000;
            micros.put(delay, new Spread(time, time, time + 1));
        }
        return new Finding(transfer, model, simulated, micros);
    }

    @Test
    void setsRoundTripsOfTheClockBesideThoseOfTheSimulation() {
        var finding = finding(Transfer.WRITE_8K, TransferModel.DATA_CHUNK, TWO, 80);
        assertEquals(2, finding.measuredRoundTrips(), 1e-9);
        var block = LatencyTable.block(Transfer.WRITE_8K, List.of(finding));
        assertEquals(
                List.of(
                        "WRITE of 8 KiB",
                        "v1: data chunk 2 2.00 2 0 1 1 + 1 80.0 160 480 4,080 40,080"),
                block.lines().map(line -> line.strip().replaceAll(" +", " ")).toList());
        var head = LatencyTable.head(List.copyOf(finding.micros().keySet())).lines().toList();
        assertEquals(2, head.size());
        assertTrue(head.get(1).endsWith("0      0.02       0.1         1        10"));
        assertEquals(head.get(1).length(), block.lines().toList().get(1).length());
    }

    @Test
    void writesARowForEachProviderAndDelay() {
        var json =
                LatencyJson.of(
                        List.of(finding(Transfer.WRITE_8K, TransferModel.DATA_CHUNK, TWO, 80)));
        assertEquals(9 + 2, json.lines().count());
        assertTrue(
                json.contains(
                        "{\"provider\":\"sim\",\"work\":\"write-8k\",\"way\":\"data-chunk\","
                                + "\"delay_ms\":0.020,\"us\":80.000,\"round_trips\":2.000,"));
        assertTrue(
                json.contains(
                        "{\"provider\":\"iwarp\",\"work\":\"write-8k\",\"way\":\"data-chunk\","
                                + "\"delay_ms\":10.000,\"us\":40080.000,\"min\":40080.000,"));
    }

    @Test
    void drawsABarForEachFindingAndDelayInsideOfItsBox() throws Exception {
        var findings = new ArrayList<Finding>();
        for (var transfer : Transfer.values()) {
            for (var model : TransferModel.values()) {
                findings.add(finding(transfer, model, TWO, 100 * model.ordinal() + 1));
            }
        }
        var picture =
                DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(
                                new ByteArrayInputStream(
                                        LatencyChart.of(findings)
                                                .getBytes(StandardCharsets.UTF_8)));
        var box = picture.getDocumentElement().getAttribute("viewBox").split(" ");
        var bars = picture.getElementsByTagName("rect");
        // The first rectangle is the background.
        assertEquals(1 + findings.size() * 4, bars.getLength());
        for (int i = 1; i < bars.getLength(); i++) {
            var bar = (Element) bars.item(i);
            assertTrue(end(bar, "x", "width") < Double.parseDouble(box[2]));
            assertTrue(end(bar, "y", "height") < Double.parseDouble(box[3]));
        }
    }

    private static double end(Element bar, String from, String length) {
        return Double.parseDouble(bar.getAttribute(from))
                + Double.parseDouble(bar.getAttribute(length));
    }
}
