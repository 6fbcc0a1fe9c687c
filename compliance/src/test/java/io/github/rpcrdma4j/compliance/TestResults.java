package io.github.rpcrdma4j.compliance;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.xml.sax.SAXException;

/** The outcomes of all tests that ran, from the reports of Surefire. */
final class TestResults {
    /**
     * The outcome of a test. Later constants outweigh earlier ones: a test with several runs has
     * its worst outcome.
     */
    enum Outcome {
        PASSED,
        SKIPPED,
        FAILED
    }

    /** The name of a method; the name of a parameterized test has more text behind it. */
    private static final Pattern METHOD = Pattern.compile("^\\w+");

    /** The outcomes by simple name of the class, then by method. */
    private final Map<String, Map<String, Outcome>> outcomes = new HashMap<>();

    /** Adds the report of one class. */
    void read(InputStream report) throws IOException {
        try {
            var document =
                    DocumentBuilderFactory.newDefaultInstance().newDocumentBuilder().parse(report);
            var cases = document.getElementsByTagName("testcase");
            for (int i = 0; i < cases.getLength(); i++) {
                take((Element) cases.item(i));
            }
        } catch (ParserConfigurationException | SAXException broken) {
            throw new IOException("not a test report", broken);
        }
    }

    private void take(Element testCase) {
        var className = testCase.getAttribute("classname");
        var method = METHOD.matcher(testCase.getAttribute("name"));
        if (!method.find()) {
            return;
        }
        outcomes.computeIfAbsent(
                        className.substring(className.lastIndexOf('.') + 1), _ -> new HashMap<>())
                .merge(method.group(), outcome(testCase), TestResults::worse);
    }

    private static Outcome outcome(Element testCase) {
        if (testCase.getElementsByTagName("failure").getLength() > 0
                || testCase.getElementsByTagName("error").getLength() > 0) {
            return Outcome.FAILED;
        }
        return testCase.getElementsByTagName("skipped").getLength() > 0
                ? Outcome.SKIPPED
                : Outcome.PASSED;
    }

    private static Outcome worse(Outcome one, Outcome other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** Returns the outcome of a test in its class and its subclasses; empty if it did not run. */
    Optional<Outcome> of(CoveringTests.Method test, CoveringTests tests) {
        return outcomes.entrySet().stream()
                .filter(entry -> tests.inherits(entry.getKey(), test.className()))
                .flatMap(entry -> Optional.ofNullable(entry.getValue().get(test.name())).stream())
                .reduce(TestResults::worse);
    }
}
