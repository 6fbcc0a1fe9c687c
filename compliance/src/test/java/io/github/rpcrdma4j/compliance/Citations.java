package io.github.rpcrdma4j.compliance;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Where comments of shipped code name the rules that the code obeys: {@code RFC 8166-4.5-1}, or
 * several: {@code RFC 8166-4.5-1, 8166-4.5-2}; and those of drafts, which have names: {@code
 * RTR-7.2-4}.
 */
final class Citations {
    private static final Pattern COMMENT =
            Pattern.compile("(?:[ \\t]*//[^\\n]*\\n?)+|/\\*.*?\\*/", Pattern.DOTALL);
    private static final String SPACE = "[\\s*/]+";
    private static final String ID = "\\d{4}-[\\d.-]*\\d";
    private static final Pattern SINGLE = Pattern.compile(ID);
    private static final Pattern CITATION =
            Pattern.compile("\\bRFC" + SPACE + "(" + ID + "(?:," + SPACE + ID + ")*)");

    /** As in the ledgers of drafts; other words with dashes are not like this. */
    private static final Pattern DRAFT_CITATION =
            Pattern.compile("\\b(?:" + String.join("|", Rule.DRAFTS) + ")-[A-Z\\d.]+-\\d+\\b");

    /** How often a class names a rule, by rule and class. */
    private final Map<String, Map<String, Integer>> places = new TreeMap<>();

    /** Reads a source file. */
    void scan(String className, String source) {
        forEach(
                source,
                (id, _) ->
                        places.computeIfAbsent(id, _ -> new TreeMap<>())
                                .merge(className, 1, Integer::sum));
    }

    /** Forgets a source file that was read. */
    void forget(String className, String source) {
        forEach(
                source,
                (id, _) -> {
                    var classes = places.get(id);
                    classes.computeIfPresent(
                            className, (_, count) -> count == 1 ? null : count - 1);
                    if (classes.isEmpty()) {
                        places.remove(id);
                    }
                });
    }

    /** Takes a citation: the rule, and where its id stands in the source. */
    interface Visitor {
        void cited(String id, int at);
    }

    /** Finds all citations of a source file. */
    static void forEach(String source, Visitor visitor) {
        var comments = COMMENT.matcher(source);
        while (comments.find()) {
            var citations = CITATION.matcher(comments.group());
            while (citations.find()) {
                int from = comments.start() + citations.start(1);
                SINGLE.matcher(citations.group(1))
                        .results()
                        .forEach(cited -> visitor.cited(cited.group(), from + cited.start()));
            }
            int from = comments.start();
            DRAFT_CITATION
                    .matcher(comments.group())
                    .results()
                    .forEach(cited -> visitor.cited(cited.group(), from + cited.start()));
        }
    }

    /** All rules that are cited. */
    Set<String> ids() {
        return places.keySet();
    }

    /** The classes that cite a rule, in alphabetical order, with how often they do. */
    Map<String, Integer> of(String id) {
        return places.getOrDefault(id, Map.of());
    }
}
