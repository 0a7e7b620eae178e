"""The harness of the laboratory: sets → runs → rows → summary → tables and charts.

An experiment is a package of one to three files or more. ``__main__.py`` has its options and says what is
measured, ``report.py`` (in a small experiment ``__main__.py``, too) how it is shown; other files hold the
algorithms of the experiment::

    def options(parser):
        parser.add_experiment(pages=8, methods="ours")      # --data, --out, --sites, --pages, …

    def measure(chosen):
        sets = labelled_sites(chosen.names, chosen.data)    # UserError in one line if there are none
        with step_progress(len(sets)) as step:
            for labelled in sets:
                ...
                step(labelled.name)
        return report(outcomes)

    EXPERIMENT = Experiment("toy", __doc__, options, measure)
    main = EXPERIMENT.main

    if __name__ == "__main__":
        run(main)

``report`` returns a `Report`: introduction, sections, rows and charts. The harness writes ``table.md`` from
the sections, ``table.csv`` and ``results.json`` from the rows (flat mappings; an `Estimate` stays a mean with
its interval), and each chart as .svg and .png. Sections are made of tables, and tables of columns::

    section("Harvest rate", "In brackets: 95 % interval.", table([
        ("strategy", "name"),                               # attribute or key of the row
        ("pages", lambda row: len(row.pages), ",d"),        # function of the row, and a format
        ("rate", "rate", ".1%"),                            # 93.8 % [92.1 %, 95.0 %] for an Estimate
    ], rows))

A dash stands for None and NaN. `results_in_order` runs jobs here or in processes; `bar_chart`, `named_bars`,
`grouped_bars` and `panel_grid` draw. Benchmarks use `Parser`, `run` and `table` without `Experiment`.
"""
