"""The workflow on a real SLURM cluster; ``make test-cluster`` runs it, ``make test`` does not: it installs packages."""
