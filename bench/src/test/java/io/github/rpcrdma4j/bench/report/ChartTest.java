package io.github.rpcrdma4j.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.bench.stack.Stack;
import io.github.rpcrdma4j.bench.stack.Work;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** Goal: the chart shows the rows. Method: read it as XML and measure its bars. */
class ChartTest {
    private static final String BACKGROUND = "#ffffff";

    private static Document parsed(String picture) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(picture.getBytes(StandardCharsets.UTF_8)));
    }

    private static List<Double> widths(Document picture) {
        var widths = new ArrayList<Double>();
        var bars = picture.getElementsByTagName("rect");
        for (int i = 0; i < bars.getLength(); i++) {
            var bar = (Element) bars.item(i);
            if (!bar.getAttribute("fill").equals(BACKGROUND)) {
                widths.add(Double.valueOf(bar.getAttribute("width")));
            }
        }
        return widths;
    }

    @Test
    void drawsABarForEachRowAndTheFasterTheLonger() throws Exception {
        var rows =
                List.of(
                        Rows.row(Stack.TCP, false, Rows.READ, 4),
                        Rows.row(Stack.RPCRDMA4J, true, Rows.READ, 1));
        var widths = widths(parsed(Chart.of(rows)));
        assertEquals(2, widths.size());
        assertEquals(4, widths.get(0) / widths.get(1), 0.01);
    }

    @Test
    void drawsAShortRoundTripLong() throws Exception {
        var rows =
                List.of(
                        Rows.row(Stack.TCP, false, Rows.NULL, 20),
                        Rows.row(Stack.RPCRDMA4J, true, Rows.NULL, 40));
        var widths = widths(parsed(Chart.of(rows)));
        assertEquals(2, widths.get(0) / widths.get(1), 0.01);
    }

    @Test
    void staysInsideOfItsBox() throws Exception {
        var rows = new ArrayList<Row>();
        for (var work : Work.values()) {
            for (int outstanding : new int[] {1, 8, 64, 65}) {
                for (var series : Series.all()) {
                    rows.add(
                            Rows.row(
                                    series.stack(),
                                    series.crc(),
                                    new LoadPoint(work, outstanding),
                                    1e6));
                }
            }
        }
        var picture = parsed(Chart.of(rows));
        var box = picture.getDocumentElement().getAttribute("viewBox").split(" ");
        var bars = picture.getElementsByTagName("rect");
        for (int i = 0; i < bars.getLength(); i++) {
            var bar = (Element) bars.item(i);
            assertTrue(end(bar, "x", "width") <= Double.parseDouble(box[2]));
            assertTrue(end(bar, "y", "height") <= Double.parseDouble(box[3]));
        }
        assertEquals(rows.size(), widths(picture).size());
    }

    private static double end(Element bar, String from, String length) {
        var start = bar.getAttribute(from);
        return (start.isEmpty() ? 0 : Double.parseDouble(start))
                + Double.parseDouble(bar.getAttribute(length));
    }
}
