package io.github.rpcrdma4j.compliance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * Goal: a change that deletes a citation of an implemented rule, or the tag of a test of it, breaks
 * the build. Method: remove each of them in turn from the present project, and check the audit and
 * the page.
 */
@TestInstance(Lifecycle.PER_CLASS)
class DeletionsTest {
    private static final Pattern TAG = Pattern.compile("(?m)^ *@Tag\\(\"([\\w.-]+)\"\\)\n");

    /** Each test leaves it as it was. */
    private final Project project = Project.read();

    private final String page = project.page();

    private boolean isObeyed(String id) {
        var rule = project.ledger().rules().get(id);
        return rule != null && rule.isImplemented();
    }

    /**
     * Requires that the audit or the page shows a removed citation or tag. If the rule has others,
     * its row in the page changes. If it was the last one, the audit fails, and a new page does not
     * help.
     */
    private void requireNoticed(String id, boolean wasTheLast, String missing, Path file) {
        if (wasTheLast) {
            var problem = id + " is implemented, but no " + missing;
            var problems = project.audit().problems(project.ledger().rules().get(id));
            assertTrue(problems.contains(problem), () -> problem + ": " + file);
        } else {
            assertFalse(page.contains(project.row(id)), () -> id + " of " + file);
        }
    }

    @Test
    void noCitationGoesUnnoticed() {
        for (var file : ProjectTree.mainSources()) {
            var name = Project.className(file);
            Citations.forEach(
                    Project.text(file),
                    (id, comment, at) -> {
                        if (isObeyed(id)) {
                            var without =
                                    comment.substring(0, at) + comment.substring(at + id.length());
                            project.citations().forget(name, comment);
                            project.citations().scan(name, without);
                            boolean wasTheLast =
                                    project.citations().of(id).isEmpty()
                                            && project.ledger()
                                                    .rules()
                                                    .get(id)
                                                    .level()
                                                    .needsCitation();
                            requireNoticed(id, wasTheLast, "code cites it", file);
                            project.citations().forget(name, without);
                            project.citations().scan(name, comment);
                        }
                    });
        }
        assertEquals(page, project.page(), "all is as it was");
    }

    @Test
    void noCoveringTestGoesUnnoticed() {
        var files = Project.testSources();
        for (var file : files) {
            var name = Project.className(file);
            var namesakes =
                    files.stream()
                            .filter(other -> Project.className(other).equals(name))
                            .filter(other -> !other.equals(file))
                            .toList();
            var source = Project.text(file);
            TAG.matcher(source)
                    .results()
                    .filter(tag -> isObeyed(tag.group(1)))
                    .forEach(
                            tag -> {
                                var without =
                                        source.substring(0, tag.start())
                                                + source.substring(tag.end());
                                replace(name, without, namesakes);
                                boolean wasTheLast = project.tests().of(tag.group(1)).isEmpty();
                                requireNoticed(tag.group(1), wasTheLast, "test covers it", file);
                                replace(name, source, namesakes);
                            });
        }
        assertEquals(page, project.page(), "all is as it was");
    }

    private void replace(String className, String source, List<Path> namesakes) {
        project.tests().forget(className);
        project.tests().scan(className, source);
        namesakes.forEach(other -> project.tests().scan(className, Project.text(other)));
    }
}
