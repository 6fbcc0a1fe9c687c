package io.github.rpcrdma4j.compliance;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The tree of modules and packages in ARCHITECTURE.md.
 *
 * <pre>
 * rpc-rdma/   what it is        -> oncrpc, verbs     a module, and the modules that it requires
 *   .wire       what it is; pure                     a package, below all that it knows
 *   (root)      what it is                           the package of the module itself
 * </pre>
 *
 * @param modules by their directories, in the order of the drawing
 */
record Drawing(Map<String, Module> modules) {
    private static final Pattern MODULE = Pattern.compile("([a-z0-9-]+)/ (.*)-> (.+)");
    private static final Pattern PACKAGE = Pattern.compile("  (\\.[a-z0-9.]+|\\(root\\)) (.*)");
    private static final String ROOT = "(root)";

    /**
     * One module.
     *
     * @param requires the directories of the required modules
     * @param packages the packages by their suffix to the module's own package, which is empty;
     *     each follows all packages that it may import
     * @param pure the packages that the drawing calls pure
     */
    record Module(Set<String> requires, List<String> packages, Set<String> pure) {
        private void add(String name, boolean isPure) {
            packages.remove(name);
            packages.add(name);
            pure.remove(name);
            if (isPure) {
                pure.add(name);
            }
        }
    }

    static Drawing read() {
        var modules = new LinkedHashMap<String, Module>();
        Module current = null;
        boolean isTree = false;
        for (var line : ProjectTree.lines(ProjectTree.ROOT.resolve("ARCHITECTURE.md"))) {
            if (line.startsWith("```")) {
                if (isTree) {
                    return new Drawing(modules);
                }
                isTree = true;
            } else if (isTree) {
                var module = MODULE.matcher(line);
                var inner = PACKAGE.matcher(line);
                if (module.matches()) {
                    current =
                            new Module(names(module.group(3)), new ArrayList<>(), new TreeSet<>());
                    current.add("", isPure(module.group(2)));
                    modules.put(module.group(1), current);
                } else if (inner.matches() && current != null) {
                    var name = inner.group(1);
                    current.add(name.equals(ROOT) ? "" : name, isPure(inner.group(2)));
                } else {
                    throw new IllegalStateException("not a line of a tree: " + line);
                }
            }
        }
        throw new IllegalStateException("there is no tree");
    }

    private static boolean isPure(String text) {
        return text.strip().endsWith("; pure");
    }

    private static Set<String> names(String list) {
        return list.equals("-") ? Set.of() : new LinkedHashSet<>(List.of(list.split(", ")));
    }
}
