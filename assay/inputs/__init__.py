"""What a person writes: the study, its tiers, the manifests of engines, claims."""
