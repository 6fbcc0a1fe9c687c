package io.github.rpcrdma4j.dissect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.capture.linux.Capture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class JsonFormTest {
    /** Collects the names of all fields. */
    private static void collect(Object value, TreeSet<String> names) {
        switch (value) {
            case Map<?, ?> map ->
                    map.forEach(
                            (name, each) -> {
                                names.add(name.toString());
                                collect(each, names);
                            });
            case List<?> list -> list.forEach(each -> collect(each, names));
            case null -> {}
            default ->
                    assertTrue(
                            value instanceof String
                                    || value instanceof Number
                                    || value instanceof Boolean,
                            () -> "no value of JSON: " + value.getClass());
        }
    }

    /**
     * Goal: the fields of the output are documented. Method: the document names every field that
     * occurs.
     */
    @Test
    void documentsEveryField() throws Exception {
        var names = new TreeSet<String>();
        for (var name : Capture.NAMES) {
            collect(JsonForm.of(CapturesTest.dissect(name), true), names);
            collect(JsonForm.of(CapturesTest.dissect(name), false), names);
        }
        for (var name : Examples.messages()) {
            var start = MessageDissector.Start.RPCRDMA;
            for (var document : Version1Document.values()) {
                var bytes = Examples.bytes(name);
                collect(JsonForm.of(MessageDissector.dissect(start, bytes, document)), names);
            }
        }
        var page = Path.of(System.getProperty("project.root", ".."), "docs", "dissect.md");
        var text = Files.readString(page);
        names.removeIf(name -> text.contains("`" + name + "`"));
        assertEquals(new TreeSet<String>(), names);
    }

    @Test
    void keepsItsForm() {
        assertEquals(
                "[{layers=[{layer=rpcrdma, form=RDMA_MSG, xid=0x0a0b0c0d, credits=32,"
                        + " readList=[], writeList=[[{handle=0x000000a1, length=4096,"
                        + " offset=0x0000000000100000}, {handle=0x000000a2, length=903,"
                        + " offset=0x0000000000200000}]], replyChunk=null},"
                        + " {layer=rpc, rpcXid=0x0a0b0c0d, type=reply, outcome=SUCCESS,"
                        + " status=null, statusName=, notJudged=its call is not known,"
                        + " placed=false}], findings=[]}]",
                JsonForm.of(
                                MessageDissector.dissect(
                                        MessageDissector.Start.RPCRDMA,
                                        Examples.bytes("EX-10"),
                                        Version1Document.RFC_8166))
                        .toString());
    }

    @Test
    void leavesTheFramesOutOnRequest() throws Exception {
        var whole = JsonForm.of(CapturesTest.dissect("linux-nfs3"), true).toString();
        var calls = JsonForm.of(CapturesTest.dissect("linux-nfs3"), false).toString();
        assertTrue(whole.contains("layer=mpa") && !calls.contains("layer=mpa"));
        assertTrue(calls.contains("durationNanos"));
    }
}
