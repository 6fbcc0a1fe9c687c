package io.github.rpcrdma4j.interop.access;

import java.util.List;

/** The cases, in the order in which a run tries them. */
public final class Table {
    private final List<Case> cases;

    /** Makes the whole table. */
    public Table() {
        var all = new Cases();
        new QueryCases(all).add();
        new DataCases(all).add();
        new AttributeCases(all).add();
        new CreationCases(all).add();
        new NameCases(all).add();
        new AclCases(all).add();
        new IdentityCases(all).add();
        new OpenCases(all).add();
        new UseCases(all).add();
        new CompoundNameCases(all).add();
        new SpecialFileCases(all).add();
        // The last, because a server delegates no file for a time after it recalled one.
        new DelegationCases(all).add();
        cases = all.all();
    }

    private Table(List<Case> cases) {
        this.cases = List.copyOf(cases);
    }

    /** Returns a table with only those cases whose ids contain a text. */
    public Table only(String text) {
        return new Table(cases.stream().filter(each -> each.id().contains(text)).toList());
    }

    /** Returns a line for each case: id, caller, export, operation, files. */
    public List<String> lines() {
        return cases.stream().map(each -> each.id() + " | " + each.words()).toList();
    }

    List<Case> cases() {
        return cases;
    }
}
